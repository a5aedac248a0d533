/** Sets the address to which the agent's key may withdraw. With a wallet's signature it counts at once, otherwise after a delay. */
import { MarketError, networkFacts, toWireTime, usualNetwork, type WalletActor } from '@market/contract';
import type { z } from 'zod';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { WalletKind } from '../../../platform/wallets/new-wallet-key.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { actorOf, endOpenMove, holdMove, type MoveRow, type MoveRunner, presentWait } from '../../accounts/moves/index.ts';
import type { AgentRow } from '../../agents/index.ts';
import { ensureWallets } from '../../wallet-keys/index.ts';
import type { AgentWalletsContext } from '../agent-wallets-context.ts';
import { insertLogEntry, writeWithdrawAddress } from '../log-repository.ts';
import { appendOwnerEvent } from '../movement-events.ts';
import { presentWithdraw } from '../present.ts';
import { lockWallets } from '../repository.ts';
import { type ProvenOwner, requireOwner } from '../require-owner.ts';
import { readWithdrawAddresses, waitingAddress } from '../withdraw-addresses.ts';

const kinds: readonly WalletKind[] = ['solana', 'evm'];

export function setWithdrawAddress(context: AgentWalletsContext): HandlersOf<'wallets'>['setWithdrawAddress'] {
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

async function write(context: AgentWalletsContext, call: Call, owner: ProvenOwner, given: Partial<Record<WalletKind, string | null>>) {
  const { agent } = owner;
  return await call.commit(async (tx) => {
    const asked = kinds.flatMap((kind) => (given[kind] === undefined ? [] : [{ kind, address: given[kind] }]));
    // A newer change cancels a waiting one. Lock its row before the wallets, in the same order as its job.
    const hadWaiting = new Set<WalletKind>();
    for (const { kind } of asked)
      if (await endOpenMove(tx, context, { agentId: agent.id, kind: 'withdraw_address', topic: kind })) hadWaiting.add(kind);
    await lockWallets(tx, agent.id);
    let waits: MoveRow | undefined;
    for (const { kind, address } of asked)
      waits = (await change(tx, context, call, owner, { kind, address, hadWaiting: hadWaiting.has(kind) })) ?? waits;
    return {
      data: {
        ...presentWithdraw(await readWithdrawAddresses(tx, agent.id)),
        ...(waits !== undefined && presentWait(waits, owner.wait ?? '')),
      },
    };
  });
}

interface AddressChange {
  readonly kind: WalletKind;
  readonly address: string | null;
  /** True if this change replaces a waiting one. */
  readonly hadWaiting: boolean;
}

/** The waiting move of this change, or undefined when the change counts already. Removing an address never waits. */
async function change(
  tx: Tx,
  context: AgentWalletsContext,
  call: Call,
  { agent, by, person, wait }: ProvenOwner,
  { kind, address, hadWaiting }: AddressChange,
): Promise<MoveRow | undefined> {
  const current = (await readWithdrawAddresses(tx, agent.id))[kind];
  const isAtOnce = wait === undefined;
  if (address === current.address && !hadWaiting) {
    // Store the new date of signing, so that the address counts at once even after a restore.
    if (isAtOnce) await writeWithdrawAddress(tx, { agentId: agent.id, kind, address });
    return undefined;
  }
  if (isAtOnce || address === null || address === current.address) {
    await applyAddress(tx, context, agent, { kind, address, by });
    return undefined;
  }
  const move = await holdMove(tx, context, call, {
    owner: person,
    kind: 'withdraw_address',
    agentId: agent.id,
    topic: kind,
    summary: `Let “${agent.name}” withdraw to ${address}.`,
    payload: { wallet_kind: kind, address } satisfies z.input<typeof waitingAddress>,
  });
  const { effectiveAt } = move;
  const network = usualNetwork[kind];
  await insertLogEntry(tx, { agentId: agent.id, orderedBy: by, network, address, action: 'withdraw_address_requested', effectiveAt });
  const effective = { effective_at: toWireTime(effectiveAt) };
  await appendOwnerEvent(tx, context, agent, 'agent.withdraw_address_requested', { network, address, ...effective });
  return move;
}

async function applyAddress(
  tx: Tx,
  context: AgentWalletsContext,
  agent: AgentRow,
  { kind, address, by }: { readonly kind: WalletKind; readonly address: string | null; readonly by: WalletActor },
): Promise<void> {
  const network = usualNetwork[kind];
  await writeWithdrawAddress(tx, { agentId: agent.id, kind, address });
  await insertLogEntry(tx, { agentId: agent.id, orderedBy: by, network, address, action: 'withdraw_address_changed' });
  await appendOwnerEvent(tx, context, agent, 'agent.withdraw_address_changed', { network, address });
}

/** Checks the address again, because it may have become unpayable since the request. */
export function withdrawAddressRunner(context: AgentWalletsContext): MoveRunner {
  return async (move, agent) => {
    if (agent === undefined) throw new Error(`${move.id} has no agent`);
    const { wallet_kind: kind, address: given } = waitingAddress.parse(move.payload);
    const address = await requireAddress(context, kind, given, await ensureWallets(context, agent.id));
    return async (tx) => {
      await applyAddress(tx, context, agent, { kind, address, by: actorOf(move) });
      return { state: 'done', resultId: null };
    };
  };
}

/** Canonical spelling of a payable address. Asks the chains, so never call it in a transaction. */
async function requireAddress(
  { chains }: AgentWalletsContext,
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
