/** Decides whether a repetition comes from the wallet that paid. */
import type { NetworkName } from '@market/contract';
import { bindsToTransfer } from '../../../access/authority/seen-signatures.ts';
import { signerOf, spendableWallets } from '../../../access/authority/spendable-wallets.ts';
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { PurchaseRow } from '../intake/repository.ts';

/**
 * Whether a repetition by this caller gets the secrets of the purchase. Secrets outlive a session, a link and a permission, and anybody can
 * rebuild a request from public data. So the wallet that paid must sign, with a signature that stood in no address and paid for nothing
 * else.
 */
export async function isForPayer(db: Db, { payer, caip2, reference }: PurchaseRow, caller: Caller, network: NetworkName): Promise<boolean> {
  const wallets = await spendableWallets(db, caller, network);
  const signer = wallets.some(({ address, by }) => address === payer && by === 'signature') ? signerOf(caller, payer) : undefined;
  return signer !== undefined && (await bindsToTransfer(db, signer, `${caip2}/${reference}`));
}
