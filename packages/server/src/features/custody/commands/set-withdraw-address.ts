/** Sets where the agent's key may withdraw to. Signed by the owner's wallet it counts at once, otherwise after a delay. */
import { MarketError, networkFacts, toWireTime, usualNetwork } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { WalletKind } from '../../../platform/wallets/new-wallet-key.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { ensureWallets } from '../../wallets/index.ts';
import type { CustodyContext } from '../custody-context.ts';
import { insertLogEntry, writeWithdrawAddress } from '../log-repository.ts';
import { appendOwnerEvent } from '../movement-events.ts';
import { presentWithdraw } from '../present.ts';
import { lockWallets } from '../repository.ts';
import { type ProvenOwner, requireOwner } from '../require-owner.ts';
import { readWithdrawAddresses } from '../withdraw-addresses.ts';

const kinds: readonly WalletKind[] = ['solana', 'evm'];

export function setWithdrawAddress(context: CustodyContext): HandlersOf<'wallets'>['setWithdrawAddress'] {
  return async ({ id, withdraw_address_solana: solana, withdraw_address_base: evm }, call) => {
    const owner = await requireOwner(context, call, id);
    const wallets = await ensureWallets(context, owner.agent.id);
    const given: Partial<Record<WalletKind, string | null>> = {};
    for (const [kind, address] of [['solana', solana] as const, ['evm', evm] as const]) {
      if (address === undefined) continue;
      given[kind] = address === null ? null : await requireAddress(context, kind, address, wallets);
    }
    return await write(context, call, owner, given);
  };
}

async function write(context: CustodyContext, call: Call, owner: ProvenOwner, given: Partial<Record<WalletKind, string | null>>) {
  const { clock } = context;
  return await call.commit(async (tx) => {
    await lockWallets(tx, owner.agent.id);
    for (const kind of kinds) {
      const address = given[kind];
      if (address === undefined) continue;
      await change(tx, context, owner, kind, address);
    }
    return { data: presentWithdraw(await readWithdrawAddresses(tx, owner.agent.id, clock.now())) };
  });
}

async function change(
  tx: Tx,
  context: CustodyContext,
  { agent, by }: ProvenOwner,
  kind: WalletKind,
  address: string | null,
): Promise<void> {
  const now = context.clock.now();
  const current = (await readWithdrawAddresses(tx, agent.id, now))[kind];
  const base = { agentId: agent.id, orderedBy: by, network: usualNetwork[kind], address };
  if (address === current.address && current.pending === null) return;
  const waits = by !== 'owner_wallet' && address !== null && address !== current.address && context.payoutChangeDelaySeconds > 0;
  if (!waits) {
    await writeWithdrawAddress(tx, { agentId: agent.id, kind, address, nextAddress: null, nextAt: null });
    await insertLogEntry(tx, { ...base, action: 'withdraw_address_changed' });
    return await appendOwnerEvent(tx, context, agent, 'agent.withdraw_address_changed', { network: base.network, address });
  }
  const effectiveAt = new Date(now.getTime() + context.payoutChangeDelaySeconds * 1000);
  await writeWithdrawAddress(tx, { agentId: agent.id, kind, address: current.address, nextAddress: address, nextAt: effectiveAt });
  await insertLogEntry(tx, { ...base, action: 'withdraw_address_requested', effectiveAt });
  const effective = { effective_at: toWireTime(effectiveAt) };
  await appendOwnerEvent(tx, context, agent, 'agent.withdraw_address_requested', { network: base.network, address, ...effective });
}

/** Asks the chains, so never call it in a transaction. */
async function requireAddress(
  { chains }: CustodyContext,
  kind: WalletKind,
  given: string,
  wallets: readonly { readonly address: string }[],
): Promise<string> {
  const field = kind === 'solana' ? 'withdraw_address_solana' : 'withdraw_address_base';
  const refuse = (message: string) => new MarketError('wallet_destination_invalid', { message: `${field}: ${message}` });
  const address = canonicalWallet(given)?.address;
  if (address === undefined) throw refuse('this is no valid address.');
  if (wallets.some((wallet) => wallet.address === address)) throw refuse('this is the agent’s own wallet. Name another address.');
  for (const chain of chains.values()) {
    if (networkFacts[chain.network].kind !== kind) continue;
    if (chain.treasury === address) throw refuse('this is the marketplace’s own wallet. Name a wallet that you hold.');
    const reason = await chain.findUnpayable(address);
    if (reason !== undefined) throw refuse(`it cannot be paid. ${reason}`);
  }
  return address;
}
