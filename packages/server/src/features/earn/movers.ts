/**
 * Decides who may withdraw from a position, and where to. A wallet withdraws its own position, an account what it deposited itself, an agent's
 * key the agent's position to the agent's own wallets. A linked wallet reads and acts, but withdraws nothing.
 */
import { MarketError } from '@market/contract';
import { listLinkedWallets } from '../../access/authority/links-repository.ts';
import { findWaitOfAccount, ownerProofMissing, requireMover } from '../../access/authority/owners.ts';
import type { Call } from '../../access/call.ts';
import type { Caller, Person, WalletCaller } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { type AgentRow, findAgent } from '../agents/index.ts';
import { readAgentWallets } from '../wallet-keys/index.ts';
import { findLastPayer } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { requireOwnerOf } from './owners.ts';
import type { Owner } from './vault-repository.ts';

export interface Mover {
  readonly owner: Owner;
  /** Destinations that need no further proof. The first is the default when none of them paid last. */
  readonly allowed: readonly string[];
  /** With a custody signature of this wallet, any destination is allowed. */
  readonly freeHand: string | undefined;
  /** Proves the withdrawal in the transaction of the burn, and spends the signature. Undefined: it happens at once. */
  prove(tx: Tx, destination: string): Promise<HeldBack | undefined>;
}

/** A withdrawal that has to wait. */
export interface HeldBack {
  readonly person: Person;
  readonly wait: string;
}

interface Asked {
  readonly agentId: string | undefined;
  readonly wallet: string | undefined;
}

export async function requireEarnMover(context: EarnContext, call: Call, { agentId, wallet }: Asked): Promise<Mover> {
  const { caller } = call;
  if (agentId !== undefined) return await moverOfAgent(context, call, agentId);
  if (wallet !== undefined) return moverOfWallet(call, requireSigner(caller, wallet));
  const owner = requireOwnerOf(caller);
  if (owner.kind === 'agent') {
    if (caller.agent?.byLink === true) throw new MarketError('owner_proof_required', { message: ONLY_LINKED });
    return await moverByKey(context.database.db, owner);
  }
  if (caller.connection !== undefined)
    throw new MarketError('forbidden', { message: 'A connected program withdraws only for the agent that its person chose.' });
  if (owner.kind === 'wallet') return moverOfWallet(call, requireSigner(caller, owner.id));
  return await moverOfAccount(context, call, owner);
}

const ONLY_LINKED = 'A linked wallet owns this agent, and a link moves no money. The owner wallet withdraws with its own signature.';

/** Requires a proof of the wallet in this request. A linked account is not enough, nor is the session of a connected program. */
function requireSigner({ wallet, connection }: Caller, named: string): WalletCaller {
  const address = canonicalWallet(named)?.address;
  if (wallet === undefined || wallet.address !== address || (connection !== undefined && wallet.proof !== 'custody'))
    throw new MarketError('owner_proof_required', {
      message: 'This wallet deposited the money. Only its own signature moves it.',
      data: { wallet: address ?? named },
    });
  return wallet;
}

function moverOfWallet(call: Call, { address, proof }: WalletCaller): Mover {
  return {
    owner: { kind: 'wallet', id: address },
    allowed: [address],
    freeHand: address,
    async prove(tx, destination) {
      if (proof === 'custody' || destination !== address) await call.requireCustodySignature(tx, address);
      return undefined;
    },
  };
}

async function moverByKey(db: Db, owner: Owner): Promise<Mover> {
  return { owner, allowed: await listServerWallets(db, owner.id as AgentRow['id']), freeHand: undefined, prove: async () => undefined };
}

async function moverOfAccount({ database, agentWallets }: EarnContext, call: Call, owner: Owner): Promise<Mover> {
  const linked = await listLinkedWallets(database.db, owner.id);
  return {
    owner,
    allowed: signerFirst(call.caller, linked),
    freeHand: undefined,
    prove: async (tx) => heldBack({ person: `user:${owner.id}`, wait: await findWaitOfAccount(tx, call, agentWallets) }),
  };
}

/** For the agent's owner. A call with the agent's own key must not name an agent. */
async function moverOfAgent(context: EarnContext, call: Call, idOrSlug: string): Promise<Mover> {
  const { database, agentWallets } = context;
  const { caller } = call;
  if (caller.agent !== undefined) throw new MarketError('earn_agent_not_allowed');
  const agent = await findAgent(database.db, idOrSlug);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!isOwner(caller, agent)) throw new MarketError('forbidden', { message: 'Only the owner of this agent may do this.' });
  if (caller.connection !== undefined) throw ownerProofMissing(caller, agent);
  const { ownerWallet } = agent;
  const people = ownerWallet === null ? signerFirst(caller, await listLinkedWallets(database.db, caller.user?.id ?? '')) : [ownerWallet];
  return {
    owner: { kind: 'agent', id: agent.id },
    allowed: [...people, ...(await listServerWallets(database.db, agent.id))],
    freeHand: ownerWallet ?? undefined,
    prove: async (tx) => heldBack(await requireMover(tx, call, agent, agentWallets)),
  };
}

function heldBack({ person, wait }: { readonly person: Person; readonly wait: string | undefined }): HeldBack | undefined {
  return wait === undefined ? undefined : { person, wait };
}

async function listServerWallets(db: Db, agentId: AgentRow['id']): Promise<string[]> {
  return Object.values(await readAgentWallets(db, agentId));
}

/** Puts a linked wallet that signs this call first, so that it is the default destination. */
function signerFirst({ wallet }: Caller, linked: readonly string[]): readonly string[] {
  if (wallet?.proof !== 'custody' || !linked.includes(wallet.address)) return linked;
  return [wallet.address, ...linked.filter((address) => address !== wallet.address)];
}

/** The destinations that are allowed now, for a withdrawal that waited. */
export async function listAllowedNow(db: Db, userId: string, agentId: AgentRow['id'] | null): Promise<readonly string[]> {
  return [...(await listLinkedWallets(db, userId)), ...(agentId === null ? [] : await listServerWallets(db, agentId))];
}

/** The requested wallet, else the signing one, the one that paid last, or the first allowed. Asks the chain. */
export async function requireDestination(
  { database, chains }: EarnContext,
  chain: Chain,
  caller: Caller,
  { owner, allowed, freeHand }: Mover,
  asked: string | undefined,
): Promise<string> {
  const own = allowed.flatMap((wallet) => (isProvenHere(caller, wallet, chain) ? (chain.canonicalAddress(wallet) ?? []) : []));
  if (asked === undefined) {
    const last = await findLastPayer(database.db, owner, chain.network);
    const isSigner = caller.wallet?.proof === 'custody' && caller.wallet.address === own[0];
    const destination = !isSigner && last !== undefined && own.includes(last) ? last : own[0];
    if (destination === undefined) throw new MarketError('earn_destination_missing');
    return destination;
  }
  const address = chain.canonicalAddress(asked);
  if (address !== undefined && own.includes(address)) return address;
  if (address === undefined || freeHand === undefined) throw new MarketError('earn_destination_not_yours');
  // The wallet is not proven on this network: an ordinary signature could pay another holder of its address.
  if (address === freeHand && caller.wallet?.proof !== 'custody') throw new MarketError('earn_destination_not_yours');
  if ([...chains.values()].some(({ treasury }) => treasury === address))
    throw new MarketError('wallet_destination_invalid', { message: 'This is the marketplace’s own wallet. Name a wallet that you hold.' });
  const reason = await chain.findUnpayable(address);
  if (reason !== undefined) throw new MarketError('wallet_destination_invalid', { message: `This address cannot be paid. ${reason}` });
  return address;
}

/** Another person may hold the address of a contract wallet on a network where it is not proven. */
function isProvenHere({ wallet, user }: Caller, address: string, { network }: Chain): boolean {
  const provenOn = wallet?.address === address ? wallet.provenOn : user?.contracts?.get(address);
  return provenOn === undefined || provenOn.some((place) => place.network === network);
}
