import { readJson } from './raw-http.ts';

/** Trusts the root with its current setup script as an operator does: reads it, then trusts exactly that. */
export const trustRoot = async ({
  url,
  operatorToken,
}: {
  url: string;
  operatorToken: string;
}): Promise<void> => {
  const Authorization = `Bearer ${operatorToken}`;
  const { script } = await readJson(fetch(`${url}/api/root/trust`, { headers: { Authorization } }));
  const { trusted } = await readJson(
    fetch(`${url}/api/root/trust`, {
      method: 'PUT',
      headers: { Authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify({ sha256: script?.sha256 ?? null }),
    }),
  );
  if (!trusted) throw new Error('the root was not trusted');
};
