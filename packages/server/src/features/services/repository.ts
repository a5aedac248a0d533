/** The SQL of single services. A row always includes the needed columns of its agent. */
import type { AgentId, RequirementField, ServiceId } from '@market/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { AgentsTable, ServicesTable } from '../../platform/db/schema.generated.ts';
import { shareReads } from '../../platform/db/share-reads.ts';
import { ownsAgent } from '../agents/index.ts';

type Agent = Selectable<AgentsTable>;

/** `listed`: public. Service and agent must be active and in good standing, and the agent must have an owner. */
export interface ServiceRow
  extends Omit<Selectable<ServicesTable>, 'search' | 'agentListed' | 'agentChain' | 'listedAt' | 'requirementFields' | 'changeNumber'> {
  readonly requirementFields: readonly RequirementField[] | null;
  readonly agentSlug: string;
  readonly agentAvatarUrl: string | null;
  readonly agentDescription: string;
  readonly agentTwitterUsername: string | null;
  /** The owner chose to show the handle. */
  readonly agentTwitterShown: boolean;
  readonly agentSource: Agent['source'];
  readonly agentVerified: boolean;
  readonly agentBlueCheck: boolean;
  readonly agentPartnerBadge: string | null;
  readonly agentPayoutChain: Agent['payoutChain'];
  readonly agentPayoutAddressBase: string | null;
  readonly agentPayoutHeldSince: Date | null;
  readonly agentOwnerWallet: string | null;
  readonly agentOwnerUserId: string | null;
  readonly agentActive: boolean;
  readonly agentMarketable: boolean;
  readonly agentModerationStatus: Agent['moderationStatus'];
}

export type NewService = Insertable<ServicesTable>;
export type ServiceChange = Updateable<ServicesTable>;

/** All columns but the word vector, which is larger than the rest and of no use outside the database. */
const serviceColumns = [
  'services.id',
  'services.agentId',
  'services.slug',
  'services.category',
  'services.title',
  'services.description',
  'services.priceMicros',
  'services.priceType',
  'services.previousPriceMicros',
  'services.priceChangedAt',
  'services.previousTerms',
  'services.turnaroundHours',
  'services.deliverables',
  'services.demoUrl',
  'services.active',
  'services.quotaLimit',
  'services.maxRevisions',
  'services.requirementFields',
  'services.briefPlaceholder',
  'services.reviewSummary',
  'services.providerModel',
  'services.moderationStatus',
  'services.moderationReason',
  'services.totalOrders',
  'services.completedOrders',
  'services.ratingSum',
  'services.ratingCount',
  'services.rating',
  'services.settledOrders',
  'services.keptOrders',
  'services.timedOrders',
  'services.onTimeOrders',
  'services.disputesLost',
  'services.buyers',
  'services.repeatBuyers',
  'services.firstResponseSeconds',
  'services.scoreWeight',
  'services.scoreGood',
  'services.score',
  'services.completedWeight',
  'services.ratedWeight',
  'services.ratingPoints',
  'services.ratingRank',
  'services.countedAnewAt',
  'services.scoreBefore',
  'services.agentName',
  'services.listed',
  'services.offeredSince',
  'services.previousOfferedSince',
  'services.createdAt',
  'services.updatedAt',
] as const;

const agentColumns = [
  'agents.slug as agentSlug',
  'agents.avatarUrl as agentAvatarUrl',
  'agents.description as agentDescription',
  'agents.twitterUsername as agentTwitterUsername',
  'agents.twitterShown as agentTwitterShown',
  'agents.source as agentSource',
  'agents.verified as agentVerified',
  'agents.blueCheck as agentBlueCheck',
  'agents.partnerBadge as agentPartnerBadge',
  'agents.payoutChain as agentPayoutChain',
  'agents.payoutAddressBase as agentPayoutAddressBase',
  'agents.payoutHeldSince as agentPayoutHeldSince',
  'agents.ownerWallet as agentOwnerWallet',
  'agents.ownerUserId as agentOwnerUserId',
  'agents.active as agentActive',
  'agents.marketable as agentMarketable',
  'agents.moderationStatus as agentModerationStatus',
] as const;

/**
 * The same columns for handwritten statements, which name the fields of the row themselves and run without plugins. Compiling the list and
 * renaming fifty columns takes as long as a small query.
 */
export const shownColumns = sql.raw(
  [...serviceColumns, ...agentColumns]
    .map((column) => {
      const [source = '', name = source.split('.')[1]] = column.split(' as ');
      return `${source.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${name}"`;
    })
    .join(', '),
);

function withAgent(db: Db) {
  return db
    .selectFrom('services')
    .innerJoin('agents', 'agents.id', 'services.agentId')
    .select(serviceColumns)
    .select(agentColumns)
    .$castTo<ServiceRow>();
}

export async function insertService(tx: Tx, service: NewService): Promise<void> {
  await tx.insertInto('services').values(service).execute();
}

export async function updateService(tx: Tx, id: ServiceId, change: ServiceChange): Promise<void> {
  await tx.updateTable('services').set(change).where('id', '=', id).execute();
}

export async function findService(db: Db, id: string): Promise<ServiceRow | undefined> {
  return await withAgent(db)
    .where('services.id', '=', id as ServiceId)
    .executeTakeFirst();
}

interface AskedService {
  readonly id: string;
  /** The buyer's accounts. */
  readonly accounts: readonly string[];
  readonly wallets: readonly string[];
}

type BuyersService = ServiceRow & { readonly isBuyersOwn: boolean };

/** Finds a service, and whether the buyer owns the agent or is paid for its work. */
export const findServiceForBuyer = shareReads<AskedService, BuyersService | undefined>(async (db, asked) => {
  const { rows } = await sql<BuyersService & { readonly n: number }>`
    select asked.n, ${shownColumns}, ${ownsAgent(sql`asked.accounts`, sql`asked.wallets`)} as "isBuyersOwn"
    from json_to_recordset(${JSON.stringify(asked.map((one, n) => ({ n, ...one })))}::json) as asked (n int, id text, accounts text[], wallets text[])
    join services on services.id = asked.id join agents on agents.id = services.agent_id`.execute(db.withoutPlugins());
  const found = new Map(rows.map(({ n, ...service }) => [n, service]));
  return asked.map((_, n) => found.get(n) as BuyersService | undefined);
});

/** As `findService`; the service cannot change until the transaction ends. */
export async function lockService(tx: Tx, id: string): Promise<ServiceRow | undefined> {
  return await withAgent(tx)
    .where('services.id', '=', id as ServiceId)
    .forUpdate('services')
    .executeTakeFirst();
}

/** Agent and service each by slug or id; a slug wins over an id that reads the same. */
export async function findServiceBySlug(db: Db, agent: string, service: string): Promise<ServiceRow | undefined> {
  return await withAgent(db)
    .where((row) => row.or([row('agents.slug', '=', agent), row('agents.id', '=', agent as AgentId)]))
    .where((row) => row.or([row('services.slug', '=', service), row('services.id', '=', service as ServiceId)]))
    .orderBy(sql`agents.slug = ${agent}`, 'desc')
    .orderBy(sql`services.slug = ${service}`, 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Counts the agent's services and blocks new ones until the transaction ends, so that count and slug stay valid. */
export async function lockServicesOf(tx: Tx, agentId: AgentId): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`services-of:${agentId}`}, 0))`.execute(tx);
  const { count } = await tx
    .selectFrom('services')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('agentId', '=', agentId)
    .executeTakeFirstOrThrow();
  return count;
}

/** The first free of `base`, `base-2`, `base-3`, … among the agent's services. Call under `lockServicesOf`. */
export async function freeSlug(tx: Tx, agentId: AgentId, base: string): Promise<string> {
  const rows = await tx.selectFrom('services').select('slug').where('agentId', '=', agentId).execute();
  const taken = new Set(rows.map((row) => row.slug));
  let slug = base;
  for (let number = 2; taken.has(slug); number++) slug = `${base}-${number}`;
  return slug;
}

const newest: readonly SortKey<ServiceRow>[] = [
  { column: sql`services.created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`services.id`, type: 'text', of: (row) => row.id },
];

export interface AgentServicesPage {
  readonly rows: readonly ServiceRow[];
  readonly total: number;
  readonly nextCursor: string | null;
}

const shownTexts = sql`services.id, services.slug, services.title, services.description, services.category, services.provider_model,
  array_to_string(services.deliverables, ' ')`;

/** Newest first. `all` includes services that are not public. */
export async function listServicesOf(
  db: Db,
  agentId: AgentId,
  paging: {
    readonly all: boolean;
    readonly q?: string | undefined;
    readonly limit: number;
    readonly offset: number;
    readonly cursor?: string | undefined;
  },
): Promise<AgentServicesPage> {
  let matching = withAgent(db).where('services.agentId', '=', agentId).where(holdsText(paging.q, shownTexts));
  if (!paging.all) matching = matching.where(sql<boolean>`services.listed`);
  let page = paging.cursor === undefined ? matching.offset(paging.offset) : matching.where(beyondCursor('newest', newest, paging.cursor));
  for (const key of newest) page = page.orderBy(key.column, 'desc');
  const [rows, counted] = await Promise.all([
    page.limit(paging.limit + 1).execute(),
    matching.clearSelect().select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, paging.limit, 'newest', newest),
    total: counted.count,
  };
}

/** Recounts the service figures of an agent. The row lock serialises recounts, so the last one sees everything. */
export async function recountServiceFigures(tx: Tx, agentIds: readonly AgentId[]): Promise<void> {
  await sql`select 1 from agent_figures where agent_id = any(${[...agentIds]}) order by agent_id for update`.execute(tx);
  await sql`
    update agent_figures set
      services_count = offered.count, service_categories = offered.categories, provider_models = offered.models,
      min_price_micros = offered.min_price_micros
    from unnest(${[...agentIds]}::text[]) as recounted (id)
    cross join lateral (
      select count(*)::int as count,
             coalesce(array_agg(distinct category), '{}') as categories,
             coalesce(array_agg(distinct provider_model) filter (where provider_model is not null), '{}') as models,
             min(price_micros) filter (where price_micros > 0) as min_price_micros
      from services where agent_id = recounted.id and active and moderation_status = 'ok'
    ) offered
    where agent_id = recounted.id`.execute(tx);
}

/**
 * Adds the words of these services, and of the services of these agents, to the vocabulary, if public. In a fixed order, so that two
 * writers never deadlock.
 */
export async function noteWords(tx: Tx, serviceIds: readonly string[], agentIds: readonly string[]): Promise<void> {
  await tx.executeQuery(
    deferred(
      `insert into search_words select distinct w from services s cross join lateral unnest(tsvector_to_array(s.search)) w
       where (s.id = any($1) or s.agent_id = any($2)) and s.listed and is_search_word(w) order by w on conflict do nothing`,
      [serviceIds, agentIds],
    ),
  );
}
