import { expect, test } from 'vitest';
import {
  changeBlock,
  countCells,
  makeSame,
  toggleCell,
} from '../../src/renderer/src/features/matrix/cell-changes.ts';
import { moveCell, placeOf } from '../../src/renderer/src/features/matrix/matrix-grid.tsx';
import type { LinkMatrix } from '../../src/shared/api/links.ts';

/** Five columns: a, b, c, d, and "gone", which isn't in the catalog. */
const MATRIX: LinkMatrix = {
  kind: 'skills',
  names: ['a', 'b', 'c', 'd', 'gone'],
  missing: 1,
  agents: [
    { id: 'one', cells: 'l2-o' },
    { id: 'two', cells: '-b-lb' },
    { id: 'three', cells: '' },
  ],
};
const [one, two, three] = MATRIX.agents as [
  LinkMatrix['agents'][number],
  LinkMatrix['agents'][number],
  LinkMatrix['agents'][number],
];

test('a press links an empty cell, replaces a broken link, removes a link, and leaves a local entry', () => {
  expect(toggleCell(MATRIX, one, 2)?.link).toEqual(new Map([['one', ['c']]]));
  expect(toggleCell(MATRIX, one, 0)?.unlink).toEqual(new Map([['one', ['a']]]));
  expect(toggleCell(MATRIX, two, 1)?.link).toEqual(new Map([['two', ['b']]]));
  // Its entry is gone, so the broken link can only be removed.
  expect(toggleCell(MATRIX, two, 4)?.unlink).toEqual(new Map([['two', ['gone']]]));
  expect(toggleCell(MATRIX, one, 3)).toBe(null);
});

test('a block changes only the cells that need it', () => {
  const { link, unlink } = changeBlock(MATRIX, MATRIX.agents, [0, 1, 3, 4], 'link');
  expect(Object.fromEntries(link)).toEqual({ two: ['a', 'b'], three: ['a', 'b', 'd'] });
  expect(unlink.size).toBe(0);
  expect(Object.fromEntries(changeBlock(MATRIX, MATRIX.agents, [1, 4], 'unlink').unlink)).toEqual({
    one: ['b'],
    two: ['b', 'gone'],
  });
});

test('agents get the skills of another one, and lose the others only if asked', () => {
  const same = makeSame(MATRIX, one, [one, two, three], true);
  expect(Object.fromEntries(same.link)).toEqual({ two: ['a', 'b'], three: ['a', 'b'] });
  // "d" is an entry of the source itself, so the other agent keeps its link to the shared one.
  expect(Object.fromEntries(same.unlink)).toEqual({ two: ['gone'] });
  expect(countCells(same.link)).toBe(4);
  expect(makeSame(MATRIX, one, [two], false).unlink.size).toBe(0);
});

test('the keys of a grid move within it', () => {
  const size = { rows: 100, columns: 10, page: 20 };
  const from = { row: 50, column: 5 };
  const key = (name: string, ctrlKey = false) => moveCell(from, { key: name, ctrlKey, metaKey: false }, size);
  expect(key('ArrowDown')).toEqual({ row: 51, column: 5 });
  expect(key('ArrowLeft')).toEqual({ row: 50, column: 4 });
  expect(key('Home')).toEqual({ row: 50, column: 0 });
  expect(key('End', true)).toEqual({ row: 99, column: 9 });
  expect(key('PageUp')).toEqual({ row: 30, column: 5 });
  expect(key('PageDown')).toEqual({ row: 70, column: 5 });
  expect(key('ArrowRight', true)).toEqual({ row: 50, column: 9 });
  expect(moveCell({ row: 0, column: 0 }, { key: 'ArrowUp', ctrlKey: false, metaKey: false }, size)).toEqual({
    row: 0,
    column: 0,
  });
  expect(key('x')).toBe(undefined);
});

test('the active cell follows its agent and its column, wherever other programs move them', () => {
  const cell = { id: 'two', name: 'b', place: { row: 1, column: 1 } };
  const rows = ['one', 'two', 'three'].map((id) => ({ id }));
  expect(placeOf(cell, rows, [0, 1, 2], ['a', 'b', 'c'])).toEqual({ row: 1, column: 1 });
  expect(placeOf(cell, [{ id: 'new' }, ...rows], [0, 1, 2, 3], ['0', 'a', 'b', 'c'])).toEqual({
    row: 2,
    column: 2,
  });
  // Both are gone, so what took their place is active.
  expect(placeOf(cell, [{ id: 'one' }], [0], ['a'])).toEqual({ row: 0, column: 0 });
});
