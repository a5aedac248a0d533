import { formatUsd, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import { listPayoutsOf } from '../../payouts/index.ts';
import { clientName, type OrderRow, type OrdersContext, presentMoney, type WireDispute } from '../index.ts';
import { type DisputeRow, type ListedDisputeRow, listStatements, type Side, type StatementRow } from './repository.ts';
import { refusalToState } from './statements.ts';

type Answers = { [M in keyof Operations['disputes']]: OperationAnswer<Operations['disputes'][M]>['data'] };

export function presentDispute(dispute: DisputeRow): WireDispute {
  return {
    id: dispute.id,
    order_id: dispute.orderId,
    opened_by: dispute.openedBy,
    reason: dispute.reason,
    state: dispute.state,
    evidence_until: toWireTime(dispute.evidenceUntil),
    ruling_due: toWireTime(dispute.rulingDue),
    ruling: dispute.ruling,
    ruling_reason: dispute.rulingReason,
    refund_usd: dispute.refundMicros === null ? null : formatUsd(dispute.refundMicros),
    opened_at: toWireTime(dispute.openedAt),
    closed_at: dispute.closedAt === null ? null : toWireTime(dispute.closedAt),
  };
}

interface Case {
  readonly order: OrderRow;
  readonly dispute: DisputeRow;
  readonly side: Side | undefined;
  /** The results of the order are withheld from this reader, and the provider may have put them into a statement. */
  readonly isWithheld: boolean;
}

/** The full record of a dispute, for one side or for an operator. */
export async function presentCase(db: Db, context: OrdersContext, { order, dispute, side, isWithheld }: Case): Promise<Answers['get']> {
  const [statements, payouts] = await Promise.all([listStatements(db, dispute.id), listPayoutsOf(db, [order.id])]);
  return {
    dispute: presentDispute(dispute),
    statements: statements.map((statement) =>
      presentStatement(
        context,
        order,
        isWithheld && statement.side === 'provider' ? { ...statement, statement: '', evidenceUrls: [] } : statement,
      ),
    ),
    may_state: side !== undefined && refusalToState(dispute, statements, side, order.now) === undefined,
    money: await presentMoney(db, context, order, payouts),
  };
}

export function presentStatement({ files }: Pick<OrdersContext, 'files'>, order: OrderRow, statement: StatementRow): Answers['state'] {
  return {
    id: statement.id,
    side: statement.side,
    author_name: statement.side === 'buyer' ? clientName(order) : order.providerName,
    statement: statement.statement,
    evidence_urls: statement.evidenceUrls.map(files.openable),
    created_at: toWireTime(statement.createdAt),
  };
}

export function presentListed(dispute: ListedDisputeRow, order: OrderRow): Answers['list'][number] {
  return {
    ...presentDispute(dispute),
    service_title: order.serviceTitle,
    price_usd: order.priceMicros === null ? null : formatUsd(order.priceMicros),
    buyer_name: clientName(order),
    provider_name: order.providerName,
    buyer_statements: dispute.buyerStatements,
    provider_statements: dispute.providerStatements,
    overdue: dispute.overdue,
  };
}
