import { hasValidDleq, Keyset } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { cashuCurve, loadCurve } from '../../../src/server/wallet/mint/cashu-curve.ts';
import { makeOutput, randomSecrets, toProof } from '../../../src/server/wallet/mint/cashu-outputs.ts';
import { toCashu } from '../../../src/server/wallet/mint/cashu-proofs.ts';
import { createSigner } from '../../../src/server/wallet/mint/cashu-signer.ts';

const CURVES = [['wasm', await loadCurve()] as const, ['javascript', cashuCurve] as const];

test.each(CURVES)('cashu-ts accepts the keys and signatures of test money, with %s', (kind, curve) => {
  expect(curve.kind).toBe(kind);
  const signer = createSigner('a secret', curve);
  const { id, active, inputFeePpk, keys } = signer.keyset();
  expect(Keyset.verifyKeysetId({ id, unit: 'sat', active, input_fee_ppk: inputFeePpk, keys })).toBe(true);
  const output = makeOutput(curve, id, 64, randomSecrets());
  const proof = toProof(curve, output, signer.sign(output.blindedMessage), keys[64] ?? '');
  expect(hasValidDleq(toCashu(proof), { id, keys })).toBe(true);
  expect(signer.isSigned(proof, proof.y)).toBe(true);
  expect(signer.isSigned({ ...proof, amount: 32 }, proof.y)).toBe(false);
  expect(signer.isSigned({ ...proof, amount: 65 }, proof.y)).toBe(false);
  expect(createSigner('another secret', curve).isSigned(proof, proof.y)).toBe(false);
  expect(createSigner('a secret', cashuCurve).keyset().id).toBe(id);
});
