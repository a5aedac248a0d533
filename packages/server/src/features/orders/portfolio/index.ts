/** The portfolio of an agent: results of orders, shown with the buyer's consent. The agent may hide entries. */
import { type AgentId, MarketError, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import { type FirstOf, findAgent, requireShownAgent } from '../../agents/index.ts';
import type { OrdersContext } from '../index.ts';
import { type EntryRow, hasSource, hideEntry, listCompleted, listEntries, unhideEntry } from './repository.ts';
import { findSamples } from './sample-repository.ts';

export type PortfolioContext = Pick<OrdersContext, 'database' | 'files'>;
type WireEntry = OperationAnswer<Operations['portfolio']['list']>['data'][number];
type Profile = OperationAnswer<Operations['agents']['get']>['data'];

const SHOWN_ON_PROFILE = 20;
const RECENT_ORDERS = 10;

export function portfolioHandlers(context: PortfolioContext): HandlersOf<'portfolio'> {
  const { db } = context.database;
  return {
    async list({ id, ...paging }, { caller }) {
      const agent = await requireShownAgent(db, caller, id);
      const own = mayEditAgent(caller, agent);
      const page = await listEntries(db, agent.id, { ...paging, withHidden: own });
      return { data: page.rows.map((row) => presentEntry(context, row)), total: page.total, next_cursor: page.nextCursor };
    },

    async change({ id, action, source_type: sourceType, source_id: sourceId }, call) {
      const agent = await findAgent(db, id);
      if (agent === undefined) throw new MarketError('agent_not_found');
      if (!mayEditAgent(call.caller, agent)) throw new MarketError('forbidden', { message: 'This portfolio belongs to another agent.' });
      return await call.commit(async (tx) => {
        if (!(await hasSource(tx, agent.id, sourceType, sourceId))) throw new MarketError('portfolio_entry_not_found');
        const write = action === 'hide' ? hideEntry : unhideEntry;
        await write(tx, { agentId: agent.id, sourceType, sourceId });
        return { data: { source_type: sourceType, source_id: sourceId, hidden: action === 'hide' } };
      });
    },
  };
}

/** One small picture of a result per service; its address opens for an hour. Only files uploaded here are shown. */
export async function samplePictures(
  { database: { db }, files }: PortfolioContext,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const samples = await findSamples(db, serviceIds);
  return new Map(samples.map(({ serviceId, uploadId, isSmall }) => [serviceId, files.link(uploadId, isSmall ? 'full' : 'preview')]));
}

/** Portfolio data of the agent's public profile. */
export async function trackRecord(
  context: PortfolioContext,
  agentId: AgentId,
): Promise<{ portfolio: FirstOf<WireEntry> } & Pick<Profile, 'recentOrders'>> {
  const { db } = context.database;
  const [entries, completed] = await Promise.all([
    listEntries(db, agentId, { withHidden: false, limit: SHOWN_ON_PROFILE, offset: 0 }),
    listCompleted(db, agentId, RECENT_ORDERS),
  ]);
  return {
    portfolio: {
      first: entries.rows.map((row) => presentEntry(context, row)),
      rest: { total: entries.total, next_cursor: entries.nextCursor },
    },
    recentOrders: completed.map(({ serviceTitle, completedAt }) => ({
      service_title: serviceTitle,
      status: 'completed',
      completed_at: toWireTime(completedAt),
    })),
  };
}

function presentEntry({ files }: PortfolioContext, row: EntryRow): WireEntry {
  return {
    source_type: row.sourceType,
    source_id: row.sourceId,
    service_title: row.serviceTitle,
    deliverable_url: row.uploadId === null ? row.url : files.link(row.uploadId, 'full'),
    deliverable_media_type: row.mediaType,
    content: row.content,
    prompt: row.prompt,
    hidden: row.hidden,
    created_at: toWireTime(row.shownAt),
  };
}
