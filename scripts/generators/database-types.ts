/** Writes TypeScript types of the migrated schema, so that a column renamed in SQL is a compile error in the queries. */
import pg from 'pg';
import { createTestDatabase } from '../../test/harness/database.ts';
import { views } from './database-views.ts';
import type { Generator } from './generator.ts';

export const databaseTypes: Generator = {
  name: 'database types',
  async render() {
    const database = await createTestDatabase();
    const client = new pg.Client(database.connection);
    await client.connect();
    try {
      return { 'packages/server/src/platform/db/schema.generated.ts': await renderDatabaseTypes(client) };
    } finally {
      await client.end();
      await database.drop();
    }
  },
};

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  readonly generatedAlways: boolean;
}

/** Columns that hold ids of the contract. */
const idColumns: Record<string, string> = {
  'agents.id': 'AgentId',
  'agent_figures.agent_id': 'AgentId',
  'user_wallets.id': 'WalletLinkId',
  'agent_wallets.agent_id': 'AgentId',
  'uploads.id': 'UploadId',
  'uploads.agent_id': 'AgentId',
  'upload_attachments.upload_id': 'UploadId',
  'order_tokens.order_id': 'OrderId',
  'creator_fee_receipts.agent_id': 'AgentId',
  'creator_fee_payouts.agent_id': 'AgentId',
  'creator_fee_claims.agent_id': 'AgentId',
  'agent_movements.agent_id': 'AgentId',
  'wallet_movements.agent_id': 'AgentId',
  'services.id': 'ServiceId',
  'services.agent_id': 'AgentId',
  'orders.id': 'OrderId',
  'orders.service_id': 'ServiceId',
  'orders.bounty_id': 'BountyId',
  'saved_searches.id': 'SavedSearchId',
  'spendings.id': 'SpendingId',
  'spendings.provider_agent_id': 'AgentId',
  'spendings.budget_id': 'BudgetId',
  'spendings.approval_id': 'SpendApprovalId',
  'spending_subjects.spending_id': 'SpendingId',
  'spend_budgets.id': 'BudgetId',
  'spend_approvals.id': 'SpendApprovalId',
  'spend_approvals.spending_id': 'SpendingId',
  'spend_approvals.provider_agent_id': 'AgentId',
  'connections.id': 'ConnectionId',
  'connections.agent_id': 'AgentId',
  'bounties.id': 'BountyId',
  'bounties.order_id': 'OrderId',
  'bounties.accepted_claim_id': 'BountyClaimId',
  'bounty_claims.id': 'BountyClaimId',
  'bounty_claims.bounty_id': 'BountyId',
  'bounty_claims.agent_id': 'AgentId',
  'orders.provider_agent_id': 'AgentId',
  'orders.client_agent_id': 'AgentId',
  'order_steps.order_id': 'OrderId',
  'settlements.order_id': 'OrderId',
  'deliverables.id': 'DeliverableId',
  'deliverables.order_id': 'OrderId',
  'order_messages.id': 'MessageId',
  'order_messages.order_id': 'OrderId',
  'message_reads.order_id': 'OrderId',
  'reviews.id': 'ReviewId',
  'reviews.order_id': 'OrderId',
  'reviews.service_id': 'ServiceId',
  'reviews.agent_id': 'AgentId',
  'disputes.id': 'DisputeId',
  'disputes.order_id': 'OrderId',
  'dispute_statements.id': 'StatementId',
  'dispute_statements.dispute_id': 'DisputeId',
  'notifications.id': 'NotificationId',
  'notifications.order_id': 'OrderId',
  'hidden_portfolio.agent_id': 'AgentId',
};

const typeScriptTypes: Record<string, string> = {
  text: 'string',
  uuid: 'string',
  int4: 'number',
  int8: 'bigint',
  xid8: 'string',
  float8: 'number',
  bool: 'boolean',
  bytea: 'Buffer',
  timestamptz: 'Date',
  date: 'Date',
  _text: 'string[]',
  jsonb: 'Json',
  tsvector: 'string',
  numeric: 'Numeric',
};

async function renderDatabaseTypes(client: pg.Client): Promise<string> {
  const columns = await readColumns(client);
  const choices = await readChoices(client);
  const tables = Map.groupBy(columns, (column) => column.table);

  const interfaces = [...tables].map(
    ([table, members]) =>
      `export interface ${pascalCase(table)}Table {\n${members.map((column) => `  ${camelCase(column.name)}: ${typeOf(column, choices)};\n`).join('')}}\n`,
  );
  const usedIds = [...new Set(Object.values(idColumns))].sort();
  return [
    '// Generated from packages/server/migrations by `npm run generate`. Do not edit.',
    `import type { ${usedIds.join(', ')} } from '@market/contract';`,
    `import type { ColumnType, Generated, GeneratedAlways } from 'kysely';`,
    '',
    '/** Read as parsed JSON, written as text so that arrays are not mistaken for SQL arrays. */',
    ...(columns.some((column) => column.type === 'jsonb' && !column.hasDefault)
      ? ['type Json = ColumnType<unknown, string, string>;']
      : []),
    'type DefaultedJson = ColumnType<unknown, string | undefined, string>;',
    '/** Whole numbers beyond 64 bits: read as text, which repositories turn into bigint. */',
    'type Numeric = ColumnType<string, bigint, bigint>;',
    'type DefaultedNumeric = ColumnType<string, bigint | undefined, bigint>;',
    'type NullableNumeric = ColumnType<string | null, bigint | null | undefined, bigint | null>;',
    '',
    ...interfaces,
    `export interface Schema {\n${[...tables.keys()].map((table) => `  ${camelCase(table)}: ${pascalCase(table)}Table;\n`).join('')}}\n`,
  ].join('\n');
}

async function readColumns(client: pg.Client): Promise<Column[]> {
  const { rows } = await client.query<Column>(`
    select table_name as table, column_name as name, udt_name as type, is_nullable = 'YES' as nullable,
           column_default is not null as "hasDefault",
           is_generated = 'ALWAYS' or coalesce(identity_generation, '') = 'ALWAYS' as "generatedAlways"
    from information_schema.columns
    where table_schema = 'public' and table_name <> 'schema_migrations'
    order by table_name, ordinal_position`);
  return rows.map((column) => ({ ...column, nullable: views[column.table]?.nullable.includes(column.name) ?? column.nullable }));
}

/** Turns `check (chain in ('solana', 'base'))` on a column or its domain into a union of literals. */
async function readChoices(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ column: string; definition: string }>(`
    select c.conrelid::regclass || '.' || a.attname as column, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'c' and cardinality(c.conkey) = 1 and c.connamespace = 'public'::regnamespace
    union all
    select a.attrelid::regclass || '.' || a.attname, pg_get_constraintdef(c.oid)
    from pg_constraint c join pg_attribute a on a.atttypid = c.contypid join pg_class r on r.oid = a.attrelid and r.relkind = 'r'
    where c.contype = 'c' and c.connamespace = 'public'::regnamespace`);
  const choices = new Map<string, string[]>();
  for (const { column, definition } of rows) {
    const list = /= ANY \(ARRAY\[(.*)\]\)/.exec(definition)?.[1];
    if (list !== undefined) choices.set(column, [...new Set([...list.matchAll(/'([^']*)'::text/g)].map((match) => match[1] ?? ''))]);
  }
  for (const [view, { choices: shown }] of Object.entries(views))
    for (const [column, values] of Object.entries(shown)) choices.set(`${view}.${column}`, [...values]);
  return choices;
}

function typeOf(column: Column, choices: Map<string, string[]>): string {
  const key = `${column.table}.${column.name}`;
  const literals = choices
    .get(key)
    ?.map((value) => `'${value}'`)
    .join(' | ');
  const base = idColumns[key] ?? literals ?? typeScriptTypes[column.type];
  if (base === undefined) throw new Error(`${key}: no TypeScript type is known for ${column.type}; add one to database-types.ts`);
  if (base === 'Numeric') return column.nullable ? 'NullableNumeric' : column.hasDefault ? 'DefaultedNumeric' : base;
  const full = column.nullable ? `${base} | null` : base;
  if (column.generatedAlways) return `GeneratedAlways<${full}>`;
  return column.hasDefault ? (base === 'Json' ? 'DefaultedJson' : `Generated<${full}>`) : full;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}
