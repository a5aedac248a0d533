/** The key of a mint: made once per intent, sealed before it is stored, opened for one signature. */
import { createLocalSolanaSigner, type SolanaSigner } from '../../platform/chains/solana/solana-signer.ts';
import type { SealedColumn } from '../../platform/secrets/reseal.ts';
import { type SecretBox, SecretUnreadableError } from '../../platform/secrets/secret-box.ts';
import { newWalletKey } from '../../platform/wallets/new-wallet-key.ts';

export function newMintKey(secrets: SecretBox): { readonly mint: string; readonly sealedKey: string } {
  const { address: mint, secret } = newWalletKey('solana');
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
