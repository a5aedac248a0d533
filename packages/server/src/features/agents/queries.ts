/** The reads of agents. */
import { MarketError } from '@market/contract';
import { mayReadSecret, refuseConflict, spendGrant } from '../../access/authority/owners.ts';
import type { HandlersOf } from '../../access/call.ts';
import { actingWallet, type Caller, walletsOf } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { listSettledOrders, presentReputation } from '../reputation/index.ts';
import { readAgentWallets, readWalletsOf } from '../wallet-keys/index.ts';
import type { AgentsContext } from './agents-context.ts';
import { announceRecovery } from './announce-recovery.ts';
import { browseAgents } from './browse-repository.ts';
import { listFeatured } from './featured-repository.ts';
import { sameWords } from './naming.ts';
import { presentLeading, presentOwn, presentOwned, presentProfile, presentRecovered, presentSummary } from './present.ts';
import { replaceProvisionalKey } from './provisional-key.ts';
import {
  type AgentOwner,
  type AgentRow,
  type AgentWithFigures,
  findAgent,
  findAgentsById,
  listLeading,
  listModels,
  listOwnedAgents,
} from './repository.ts';

type Queries = Pick<
  HandlersOf<'agents'>,
  'list' | 'featured' | 'leaderboard' | 'me' | 'mine' | 'get' | 'reputation' | 'reputationOrders' | 'recover' | 'models'
>;

export function agentQueries(context: AgentsContext): Queries {
  const {
    database: { db },
    secrets,
    shownOf,
  } = context;
  return {
    async list(filters, { caller }) {
      const owner = filters.owner_wallet === undefined ? undefined : callerAsOwner(filters.owner_wallet, caller);
      const offset = filters.page === undefined ? filters.offset : (filters.page - 1) * filters.limit;
      const page = await browseAgents(db, { ...filters, offset }, owner);
      return { data: page.rows.map(presentSummary), total: page.total, next_cursor: page.nextCursor };
    },

    async featured() {
      return { data: (await listFeatured(db)).map(presentSummary) };
    },

    async leaderboard({ limit, q }) {
      const leading = await listLeading(db, limit, q);
      const agents = new Map(
        (
          await findAgentsById(
            db,
            leading.map(({ id }) => id),
          )
        ).map((agent) => [agent.id, agent]),
      );
      return {
        data: leading.flatMap((week) => {
          const agent = agents.get(week.id);
          return agent === undefined ? [] : [presentLeading(agent, week)];
        }),
      };
    },

    async me(_input, { caller }) {
      const agent = caller.agent && (await findAgent(db, caller.agent.id));
      if (agent === undefined) throw new MarketError('agent_not_found');
      return { data: presentOwn(agent, await readAgentWallets(db, agent.id), secrets, mayReadSecret(caller, agent)) };
    },

    async mine({ agent, ...page }, { caller }) {
      const owned = await browseAgents(db, { sortBy: 'newest', source: 'all', agent, ...page }, identitiesOf(caller));
      const wallets = await readWalletsOf(
        db,
        owned.rows.map(({ id }) => id),
      );
      return {
        data: owned.rows.map((row) => presentOwned(row, wallets(row.id))),
        total: owned.total,
        next_cursor: owned.nextCursor,
      };
    },

    async get({ id }, { caller }) {
      const { agent, viewerIsOwner } = requireShown(caller, await findAgent(db, id));
      return { data: presentProfile(agent, viewerIsOwner, await shownOf(agent.id)) };
    },

    ...reputationQueries(context),

    async recover({ owner_wallet, agent_name }, call) {
      const { caller } = call;
      const owner =
        caller.user !== undefined
          ? // A link gives no ownership: agents of a linked wallet are recovered with that wallet's signature.
            { userId: caller.user.id, wallets: [] }
          : callerAsOwner(owner_wallet ?? caller.wallet?.address ?? '', caller);
      const owned = await listOwnedAgents(db, owner);
      const agents = agent_name === undefined ? owned : owned.filter((agent) => sameWords(agent.name, agent_name));
      const [conflict] = agents.filter(({ ownerConflict }) => ownerConflict);
      if (conflict !== undefined) refuseConflict(conflict);
      if (agents.length === 0) throw new MarketError('no_agents_found');
      await spendGrant(db, call);
      const recovered: ReturnType<typeof presentRecovered>[] = [];
      for (const agent of agents) recovered.push(presentRecovered(agent, secrets, await showKey(context, caller, agent)));
      return { data: { agents: recovered } };
    },

    async models() {
      return { data: await listModels(db) };
    },
  };
}

function reputationQueries({ database: { db } }: AgentsContext): Pick<Queries, 'reputation' | 'reputationOrders'> {
  return {
    async reputation({ id }, { caller }) {
      return { data: presentReputation(requireShown(caller, await findAgent(db, id)).agent) };
    },

    async reputationOrders({ id, ...asked }, { caller }) {
      return await listSettledOrders(db, requireShown(caller, await findAgent(db, id)).agent.id, asked);
    },
  };
}

/**
 * Replaces and returns the key if an unproven owner wallet signed this call, because a stranger may hold the old key. A signed-in account
 * does not prove that wallet. Otherwise notifies the owner that the key was read.
 */
async function showKey(context: AgentsContext, { wallet }: Caller, agent: AgentRow): Promise<string | undefined> {
  const isClaim = !agent.ownerProven && wallet !== undefined && wallet.address === agent.ownerWallet;
  const replaced = isClaim ? await context.database.transaction((tx) => replaceProvisionalKey(tx, context, agent.id)) : undefined;
  if (replaced === undefined) await announceRecovery(context, agent);
  return replaced?.apiKey;
}

/** Throws `agent_not_found` for a hidden agent, except to the agent, its owner and operators. */
export function requireShown(caller: Caller, agent: AgentWithFigures | undefined): { agent: AgentWithFigures; viewerIsOwner: boolean } {
  const viewerIsOwner = agent !== undefined && (isOwner(caller, agent) || caller.agent?.id === agent.id);
  if (agent === undefined || (isHidden(agent) && !viewerIsOwner && caller.user?.admin !== true)) throw new MarketError('agent_not_found');
  return { agent, viewerIsOwner };
}

/** True if the owner or an operator took the agent off the market. */
export function isHidden({ active, moderationStatus, ownerBanned }: AgentRow): boolean {
  return !active || moderationStatus !== 'ok' || ownerBanned;
}

/** All identities of the caller, as owner of agents. */
function identitiesOf(caller: Caller): AgentOwner {
  const { user } = caller;
  return { ...(user !== undefined && { userId: user.id }), wallets: walletsOf(caller) };
}

/** The owner whose agents the caller may list: the signed-in account, otherwise the proven wallet. */
function callerAsOwner(ownerWallet: string, caller: Caller): AgentOwner {
  if (caller.user !== undefined) return { userId: caller.user.id, wallets: caller.user.wallets };
  const wallet = actingWallet(caller);
  if (wallet === undefined)
    throw new MarketError('unauthenticated', { message: 'Listing a wallet’s agents needs its signature, or a sign-in token.' });
  if (canonicalWallet(ownerWallet)?.address !== wallet.address) throw new MarketError('wallet_mismatch');
  return { wallets: [wallet.address] };
}
