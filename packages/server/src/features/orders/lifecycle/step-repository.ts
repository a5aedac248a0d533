/** Writes orders and their steps. Only `take-step.ts` calls it, and `extend-restored.ts` after a restore; `npm run check:static` holds that. */
import type { OrderId, OrderStatus, RestoredEnds } from '@market/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { deferred } from '../../../platform/db/pipelined-driver.ts';
import type { OrderStepsTable, OrdersTable } from '../../../platform/db/schema.generated.ts';
import { writeTogether } from '../../../platform/db/write-together.ts';
import type { OrderRow } from '../repository.ts';

/** The terms of an order. The table fills in what they leave open. */
export type NewOrder = Omit<Insertable<OrdersTable>, 'relatedParty' | 'createdAt' | 'updatedAt'> &
  Pick<OrderRow, 'createdAt' | 'updatedAt'>;

export type OrderChange = Omit<Updateable<OrdersTable>, 'status'>;

export interface FirstRows {
  readonly order: NewOrder & Pick<OrderRow, 'relatedParty'>;
  readonly step: Omit<Insertable<OrderStepsTable>, 'number'>;
}

/** Writes a new order and its first step. */
export async function insertNewOrder(tx: Tx, first: FirstRows): Promise<void> {
  await writeTogether(tx, first, insertNewOrders);
}

/** Writes orders with equal columns in one statement: the database prepares checks and indexes once per statement, not once per order. */
async function insertNewOrders(tx: Tx, all: readonly FirstRows[]): Promise<void> {
  for (const [fields, rows] of Map.groupBy(all, ({ order }) => Object.keys(order).join())) {
    const orders = rows.map(({ order }) => jsonRowOf(order));
    const steps = rows.map(({ step: { orderId, command, toStatus, actorRole, actor, note } }) => ({
      order_id: orderId,
      command,
      to_status: toStatus,
      actor_role: actorRole,
      actor,
      note,
    }));
    await tx.executeQuery(deferred(firstRowsText(fields), [JSON.stringify(orders), JSON.stringify(steps)]));
  }
}

function jsonRowOf(order: FirstRows['order']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(order).map(([field, value]) => [columnOf(field), field === 'requirementAnswers' ? parsed(value) : jsonValueOf(value)]),
  );
}

/** The column is JSON, which callers pass as text. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

function jsonValueOf(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

const firstRowsTexts = new Map<string, string>();

function firstRowsText(fields: string): string {
  const known = firstRowsTexts.get(fields);
  if (known !== undefined) return known;
  const columns = fields.split(',').map(columnOf).join(', ');
  const text = `
    with begun as (insert into orders (${columns}) select ${columns} from json_populate_recordset(null::orders, $1::json))
    insert into order_steps (order_id, command, to_status, actor_role, actor, note, at, number)
    select order_id, command, to_status, actor_role, actor, note, market_now(), 1
    from json_to_recordset($2::json) as s (order_id text, command text, to_status text, actor_role text, actor text, note text)`;
  firstRowsTexts.set(fields, text);
  return text;
}

/** Compare-and-set: the transaction fails when the order has left `from`, which its lock makes impossible. */
export async function updateOrderRow(
  tx: Tx,
  id: OrderId,
  { from, to, at }: { readonly from: OrderStatus; readonly to: OrderStatus; readonly at: Date },
  change: OrderChange,
): Promise<void> {
  const fields = Object.entries(change).filter(([, value]) => value !== undefined);
  const text = updateText(fields.map(([field]) => field));
  await tx.executeQuery(deferred(text, [id, from, to, at, ...fields.map(([, value]) => value)]));
}

const updateTexts = new Map<string, string>();

function updateText(fields: readonly string[]): string {
  const key = fields.join();
  const known = updateTexts.get(key);
  if (known !== undefined) return known;
  const sets = fields.map((field, index) => `, ${columnOf(field)} = $${index + 5}`).join('');
  // Divides by zero if no row changed: nobody reads the count of a deferred statement, which may go out with the commit.
  const text = `
    with changed as (update orders set status = $3, updated_at = $4${sets} where id = $1 and status = $2 returning 1)
    select 1 / count(*) as changed from changed`;
  updateTexts.set(key, text);
  return text;
}

const columns = new Map<string, string>();

function columnOf(field: string): string {
  const known = columns.get(field);
  if (known !== undefined) return known;
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columns.set(field, column);
  return column;
}

const INSERT_STEP = `
  insert into order_steps (order_id, command, from_status, to_status, actor_role, actor, note, at, number)
  select $1, $2, $3, $4, $5, $6, $7, coalesce($8, market_now()), coalesce(max(number), 0) + 1 from order_steps where order_id = $1`;

export async function insertStepRow(tx: Tx, step: Omit<Insertable<OrderStepsTable>, 'number'>): Promise<void> {
  const { orderId, command, fromStatus, toStatus, actorRole, actor, note, at = null } = step;
  await tx.executeQuery(deferred(INSERT_STEP, [orderId, command, fromStatus, toStatus, actorRole, actor, note, at]));
}

export type ExtendedOrder = Pick<
  Selectable<OrdersTable>,
  'id' | 'status' | 'dueAt' | 'deliveryDeadline' | 'reviewDeadline' | 'revisionDeadline' | 'workspaceEndsAt'
>;

/**
 * After a restore: moves the open deadlines of all orders at once. A promise that was broken by `brokenBy`, before the backup, stays broken;
 * an order that is marked overdue stays as it was marked.
 */
export async function extendOrderRows(
  tx: Tx,
  { notBefore, deliveryNotBefore, brokenBy }: RestoredEnds & { readonly brokenBy: Date },
): Promise<readonly ExtendedOrder[]> {
  const { rows } = await sql<ExtendedOrder>`
    with open as (
      select id, status = 'delivered' and review_deadline < ${notBefore} as review,
             status = 'revision_requested' and revision_deadline < ${notBefore} as revision,
             status = 'in_progress' and workspace_ends_at < ${notBefore} as workspace,
             status in ('paid', 'in_progress') and overdue_since is null and delivery_deadline < ${notBefore} as delivery,
             status in ('paid', 'in_progress') and overdue_since is null and due_at > ${brokenBy} and due_at < ${notBefore} as promise
      from orders where status in ('paid', 'in_progress', 'delivered', 'revision_requested'))
    update orders o set updated_at = market_now(),
      review_deadline = case when open.review then ${notBefore} else review_deadline end,
      revision_deadline = case when open.revision then ${notBefore} else revision_deadline end,
      workspace_ends_at = case when open.workspace then ${notBefore} else workspace_ends_at end,
      due_at = case when open.promise then ${notBefore} else due_at end,
      delivery_deadline = case when open.promise then greatest(delivery_deadline, ${deliveryNotBefore})
                               when open.delivery then ${notBefore} else delivery_deadline end
    from open where o.id = open.id and (open.review or open.revision or open.workspace or open.delivery or open.promise)
    returning o.id, o.status, o.due_at as "dueAt", o.delivery_deadline as "deliveryDeadline", o.review_deadline as "reviewDeadline",
              o.revision_deadline as "revisionDeadline", o.workspace_ends_at as "workspaceEndsAt"`.execute(tx);
  return rows;
}
