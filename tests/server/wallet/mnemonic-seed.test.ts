import { generateMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js';
import { expect, test } from 'vitest';
import { mnemonicSeed } from '../../../src/server/wallet/mint/cashu-mint.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('a mnemonic gives the same seed as in every other wallet', async () => {
  // Of NUT-13's test vectors.
  const words = 'half depart obvious quality work element tank gorilla view sugar picture humble';
  expect(hex(await mnemonicSeed(words))).toBe(
    'dd44ee516b0647e80b488e8dcc56d736a148f15276bef588b37057476d4b2b25780d3688a32b37353d6995997842c0fd8b412475c891c16310471fbc86dcbda8',
  );
  // Japanese has characters with two forms.
  for (const list of [wordlist, japanese]) {
    const made = generateMnemonic(list, 128);
    expect(hex(await mnemonicSeed(made))).toBe(hex(mnemonicToSeedSync(made)));
  }
});
