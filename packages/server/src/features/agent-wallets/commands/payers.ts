/** Allowed payers: wallets that let an agent pay from them. The wallet itself allows; wallet, agent and owner may remove. */
import {
  type AgentId,
  MarketError,
  type NetworkName,
  type OperationAnswer,
  type Operations,
  toWireTime,
  type WalletChain,
} from '@market/contract';
import { deletePayers, insertPayer, listPayers, lockPayers, type PayerRow } from '../../../access/authority/payers-repository.ts';
import type { HandlersOf } from '../../../access/call.ts';
import { type Caller, principalOf } from '../../../access/caller.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import type { Db } from '../../../platform/db/database.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { type AgentRow, announcePayer, findAgent } from '../../agents/index.ts';
import type { AgentWalletsContext } from '../agent-wallets-context.ts';

type Payers = OperationAnswer<Operations['wallets']['payers']>['data'];

/** Strangers cannot fill the list: the rest is kept for wallets of the agent's own side. */
const MAX_PAYERS = 100;
const MAX_BY_STRANGERS = 20;

export function payerHandlers(context: AgentWalletsContext): Pick<HandlersOf<'wallets'>, 'payers' | 'allowPayer' | 'removePayer'> {
  const { database, clock } = context;
  return {
    async payers({ id }, { caller }) {
      const agent = await requireAgent(database.db, id);
      if (!mayEditAgent(caller, agent)) throw new MarketError('forbidden', { message: 'Only the agent and its owner may read this.' });
      return { data: await presentPayers(database.db, agent.id) };
    },

    async allowPayer({ id }, call) {
      const agent = await requireAgent(database.db, id);
      const { wallet } = call.caller;
      if (wallet === undefined) throw new MarketError('unauthenticated');
      return await call.commit(async (tx) => {
        const count = await lockPayers(tx, agent.id);
        await call.requireCustodySignature(tx, wallet.address);
        const isNew = await insertPayer(tx, {
          agentId: agent.id,
          address: wallet.address,
          chain: wallet.chain,
          provenOn: wallet.provenOn?.map(({ network }) => network) ?? null,
          allowedAt: clock.now(),
          allowedBy: principalOf(call.caller, call.clientAddress),
        });
        if (isNew && count >= (mayEditAgent(call.caller, agent) ? MAX_PAYERS : MAX_BY_STRANGERS)) throw new MarketError('too_many_payers');
        if (isNew) await announcePayer(tx, context, agent, 'agent.payer_allowed', wallet);
        return { data: await presentPayers(tx, agent.id) };
      });
    },

    async removePayer({ id, address: text }, call) {
      const agent = await requireAgent(database.db, id);
      const address = canonicalWallet(text)?.address ?? text;
      if (!mayEditAgent(call.caller, agent) && !signsAs(call.caller, address)) {
        throw new MarketError('forbidden', { message: 'Only the paying wallet, the agent and its owner may do this.' });
      }
      return await call.commit(async (tx) => {
        const [removed] = await deletePayers(tx, agent.id, address);
        if (removed === undefined) throw new MarketError('payer_not_found');
        await announcePayer(tx, context, agent, 'agent.payer_removed', removed);
        return { data: await presentPayers(tx, agent.id) };
      });
    },
  };
}

/** True if the caller is this wallet, or the account that it is linked to. */
function signsAs({ wallet, user }: Caller, address: string): boolean {
  return wallet?.address === address || user?.wallets.includes(address) === true;
}

async function requireAgent(db: Db, idOrSlug: string): Promise<AgentRow> {
  const agent = await findAgent(db, idOrSlug);
  if (agent === undefined) throw new MarketError('agent_not_found');
  return agent;
}

async function presentPayers(db: Db, agentId: AgentId): Promise<Payers> {
  return (await listPayers(db, agentId)).map(presentPayer);
}

function presentPayer({ address, chain, provenOn, allowedAt }: PayerRow): Payers[number] {
  return { address, chain: chain as WalletChain, networks: provenOn as NetworkName[] | null, allowed_at: toWireTime(allowedAt) };
}
