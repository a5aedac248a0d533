/**
 * The key of a mint, sealed before it is stored and opened for one signature. It is derived from the agent, so restored books plan the same
 * mint again and find that it exists.
 */
import { createLocalSolanaSigner, type SolanaSigner } from '../../../platform/chains/solana/solana-signer.ts';
import type { SealedColumn } from '../../../platform/secrets/reseal.ts';
import { type SecretBox, SecretUnreadableError } from '../../../platform/secrets/secret-box.ts';
import { addressOfKey } from '../../../platform/wallets/new-wallet-key.ts';

export interface NewMintKey {
  readonly mint: string;
  readonly sealedKey: string;
}

export function newMintKey(secrets: SecretBox, subject: string): NewMintKey {
  const secret = secrets.derive(`mint ${subject}`).toString('hex');
  const mint = addressOfKey('solana', secret);
  return { mint, sealedKey: secrets.seal(secret, sealedFor(mint)) };
}

export function openMintKey(secrets: SecretBox, { mint, sealedKey }: { readonly mint: string; readonly sealedKey: string }): SolanaSigner {
  const signer = createLocalSolanaSigner(secrets.open(sealedKey, sealedFor(mint)));
  if (signer.address !== mint) throw new SecretUnreadableError(`The key stored for the mint ${mint} belongs to another address.`);
  return signer;
}

function sealedFor(mint: string): string {
  return `agent_mints/${mint}`;
}

export const sealedMintColumns: readonly SealedColumn[] = [
  { table: 'agent_mints', keys: ['movement_id'], column: 'sealed_key', needs: ['mint'], contextOf: ({ mint = '' }) => sealedFor(mint) },
];
