/** Asks the table of authority whether anything that the request shows gives the power of the call. */
import { MarketError, mayPay, type NamedOperation, type Power, type Proof, permits } from '@market/contract';
import type { Caller } from '../caller.ts';
import { hasOwner } from '../ownership.ts';

/** Every proof of the caller, as the table names them. */
function proofsOf(caller: Caller): readonly Proof[] {
  const { agent, connection, user, wallet, walletElsewhere, orderId, orderReadOnly, operatorKey } = caller;
  const proofs: Proof[] = ['none'];
  // The proofs of a connected program are its scopes; its person and agent add none.
  if (connection !== undefined) proofs.push(...connection.scopes.map((scope) => `scope_${scope}` as const));
  else {
    if (agent !== undefined) proofs.push(isOwned(agent) ? 'key' : 'key_unowned');
    if (user !== undefined) proofs.push('account', 'linked_wallet', ...(user.admin ? (['admin'] as const) : []));
  }
  for (const signer of [wallet, walletElsewhere]) {
    if (signer !== undefined && (connection === undefined || signer.proof !== 'session')) proofs.push(signer.proof);
  }
  if (orderId !== undefined) proofs.push(orderReadOnly === true ? 'read_token' : 'buyer_token');
  if (operatorKey === true) proofs.push('operator_key');
  return proofs;
}

function isOwned({ recordedOwnerWallet: ownerWallet, ownerUserId, id }: NonNullable<Caller['agent']>): boolean {
  return hasOwner({ id, ownerWallet, ownerUserId });
}

/** Proofs that a payment in the request may give. The payment intake checks them. */
const payments: readonly Proof[] = ['payment', 'reference', 'bare'];

/** Powers that need the owner in person. */
const ofOwners: readonly Power[] = ['fund', 'move', 'grant', 'recover'];

export const NOT_FOR_PROGRAMS =
  'A connected program cannot change this. The owner changes it on this site, or adds a signature of the owner wallet.';

/** Throws when no proof gives the power of the operation. The handler still asks for whom the proof counts, field by field. */
export function requirePower({ spec }: NamedOperation, caller: Caller): void {
  const { power } = spec;
  const shown = [...proofsOf(caller), ...(mayPay(spec) ? payments : [])];
  if (shown.some((proof) => permits(proof, spec))) return;
  if (!ofOwners.includes(power)) throw new MarketError('wrong_credential');
  const wallet = caller.agent?.recordedOwnerWallet ?? undefined;
  throw new MarketError('owner_proof_required', {
    ...(caller.connection !== undefined && { message: NOT_FOR_PROGRAMS }),
    ...(wallet !== undefined && { data: { wallet } }),
  });
}
