import { describe, expect, it } from 'vitest';
import { parseInSlices, SLICE } from '../../src/renderer/src/api/client.ts';
import { listAgents } from '../../src/shared/api/agents.ts';

const schema = listAgents.success.body;
const agents = (count: number): unknown[] =>
  Array.from({ length: count }, (_, i) => ({ id: `agent-${i}`, workspace: false, unknown: i }));

const parse = async (body: unknown) => {
  let pauses = 0;
  const parsed = await parseInSlices(schema, body, async () => void pauses++);
  return { parsed, pauses };
};

describe('parseInSlices', () => {
  it('parses a long list as the schema does, and yields before each slice and after the last', async () => {
    const body = { agents: agents(2 * SLICE + 1) };
    const { parsed, pauses } = await parse(body);
    expect(parsed?.data).toEqual(schema.parse(body));
    expect(pauses).toBe(4);
  });

  it('parses a short list at once', async () => {
    const { parsed, pauses } = await parse({ agents: agents(SLICE) });
    expect(parsed?.data).toMatchObject({ agents: { length: SLICE } });
    expect(pauses).toBe(0);
  });

  it.each([0, SLICE, 2 * SLICE])('refuses a list whose entry %i does not fit', async (index) => {
    const { parsed } = await parse({ agents: agents(2 * SLICE + 1).with(index, { id: 1 }) });
    expect(parsed).toBeUndefined();
  });

  it.each([undefined, null, 'text', {}, { agents: {} }])('refuses %j', async (body) => {
    expect((await parse(body)).parsed).toBeUndefined();
  });
});
