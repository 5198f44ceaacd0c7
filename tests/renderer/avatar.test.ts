import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { avatarColor, initialsOf } from '../../src/renderer/src/ui/avatar.tsx';

const TOKENS = readFileSync(new URL('../../src/renderer/src/styles/tokens.css', import.meta.url), 'utf8');

/** The relative luminance of an OKLCH color, as WCAG defines it. */
const luminance = (lightness: number, chroma: number, hueDegrees: number): number => {
  const hue = (hueDegrees * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const [l, m, s] = [
    (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3,
  ];
  const clamp = (value: number): number => Math.min(1, Math.max(0, value));
  const red = clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The luminances of a token in the light and the dark theme. */
const luminancesOf = (token: string): number[] => {
  const line = new RegExp(`--${token}: light-dark\\((.*)\\);`).exec(TOKENS)?.[1] ?? '';
  return [...line.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)].map(([, l, c, h]) =>
    luminance(Number(l), Number(c), Number(h)),
  );
};

const contrast = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

describe('avatars', () => {
  test('show the initials of the first two words of an id', () => {
    expect(['scout', 'git-summary', 'a.b.c', '9lives', 'x_', 'Release-notes'].map(initialsOf)).toEqual([
      'S',
      'GS',
      'AB',
      '9',
      'X',
      'RN',
    ]);
  });

  test('keep their color, and spread numbered ids over all of them', () => {
    expect(avatarColor('scout')).toBe(avatarColor('scout'));
    const used = Array.from({ length: 64 }, (_, index) => avatarColor(`agent-${index}`));
    expect(new Set(used).size).toBe(8);
  });

  test('are readable in light and dark: AA on each of the eight colors', () => {
    for (let color = 0; color < 8; color++) {
      const surfaces = luminancesOf(`avatar-${color}`);
      const inks = luminancesOf(`on-avatar-${color}`);
      expect(surfaces).toHaveLength(2);
      const ratios = surfaces.map((surface, theme) => contrast(surface, inks[theme] ?? surface));
      expect(Math.min(...ratios), `color ${color}`).toBeGreaterThan(4.5);
    }
  });
});
