/**
 * Every allowed and forbidden transition of an order, written by hand from the documents:
 * the specification ("States and transitions"), the rulings (section 4) and decision record 0018.
 * It imports no rule of the contract, so that a wrong rule there cannot justify itself here.
 */
import type { LifecycleFacts, OrderCommand, OrderRole, OrderStatus } from '@market/contract';

/** Columns of the table: each state has two letters. */
const columns = {
  pq: 'pending_quote',
  qu: 'quoted',
  ac: 'accepted',
  pa: 'paid',
  ip: 'in_progress',
  de: 'delivered',
  rr: 'revision_requested',
  di: 'disputed',
  co: 'completed',
  ca: 'cancelled',
} as const satisfies Record<string, OrderStatus>;

/** The next state of a command from each state, by role. `--` is forbidden: 400, and nothing changes. */
const table = `
command           role      pq qu ac pa ip de rr di co ca   source

quote             buyer     -- -- -- -- -- -- -- -- -- --
quote             provider  qu qu -- -- -- -- -- -- -- --   spec; from quoted: decisions 4, a quote can be replaced
quote             admin     -- -- -- -- -- -- -- -- -- --
quote             system    -- -- -- -- -- -- -- -- -- --

accept            buyer     -- ac -- -- -- -- -- -- -- --   decisions 4
accept            provider  -- -- -- -- -- -- -- -- -- --
accept            admin     -- -- -- -- -- -- -- -- -- --
accept            system    -- -- -- -- -- -- -- -- -- --

pay               buyer     -- pa pa -- -- -- -- -- -- --   spec; from accepted: decisions 4
pay               provider  -- -- -- -- -- -- -- -- -- --
pay               admin     -- -- -- -- -- -- -- -- -- --
pay               system    -- -- -- -- -- -- -- -- -- --

open_workspace    buyer     -- -- -- -- -- -- -- -- -- --
open_workspace    provider  -- -- -- -- -- -- -- -- -- --
open_workspace    admin     -- -- -- -- -- -- -- -- -- --
open_workspace    system    -- -- -- ip -- -- -- -- -- --   decisions 4: paying for a workspace opens it

start             buyer     -- -- -- -- -- -- -- -- -- --
start             provider  -- -- -- ip -- -- -- -- -- --   decisions 4
start             admin     -- -- -- -- -- -- -- -- -- --
start             system    -- -- -- -- -- -- -- -- -- --

deliver           buyer     -- -- -- -- -- -- -- -- -- --
deliver           provider  -- -- -- de de de de -- -- --   spec from paid and in progress; decisions 4 from revision requested and delivered
deliver           admin     -- -- -- -- -- -- -- -- -- --
deliver           system    -- -- -- -- -- -- -- -- -- --

answer_request    buyer     -- -- -- -- -- -- -- -- -- --
answer_request    provider  -- -- -- -- ip -- -- -- -- --   record 0018: a delivery into a running workspace answers a request
answer_request    admin     -- -- -- -- -- -- -- -- -- --
answer_request    system    -- -- -- -- -- -- -- -- -- --

generate          buyer     -- -- -- -- ip -- -- -- -- --   spec: calls in an open workspace
generate          provider  -- -- -- -- -- -- -- -- -- --
generate          admin     -- -- -- -- -- -- -- -- -- --
generate          system    -- -- -- -- -- -- -- -- -- --

finish_workspace  buyer     -- -- -- -- -- -- -- -- -- --
finish_workspace  provider  -- -- -- -- -- -- -- -- -- --
finish_workspace  admin     -- -- -- -- -- -- -- -- -- --
finish_workspace  system    -- -- -- -- de -- -- -- -- --   decisions 4: quota used up or period over

approve           buyer     -- -- -- -- -- co -- -- -- --   spec
approve           provider  -- -- -- -- -- -- -- -- -- --
approve           admin     -- -- -- -- -- -- -- -- -- --
approve           system    -- -- -- -- -- -- -- -- -- --

auto_release      buyer     -- -- -- -- -- -- -- -- -- --
auto_release      provider  -- -- -- -- -- -- -- -- -- --
auto_release      admin     -- -- -- -- -- -- -- -- -- --
auto_release      system    -- -- -- -- -- co -- -- -- --   spec: 48 hours of silence

revision          buyer     -- -- -- -- -- rr -- -- -- --   spec
revision          provider  -- -- -- -- -- -- -- -- -- --
revision          admin     -- -- -- -- -- -- -- -- -- --
revision          system    -- -- -- -- -- -- -- -- -- --

allow_revision    buyer     -- -- -- -- -- -- -- -- -- --
allow_revision    provider  -- -- -- -- -- de -- -- -- --   record 0018: the provider grants one more round
allow_revision    admin     -- -- -- -- -- -- -- -- -- --
allow_revision    system    -- -- -- -- -- -- -- -- -- --

dispute           buyer     -- -- -- -- -- di -- -- -- --   spec
dispute           provider  -- -- -- -- -- -- -- -- -- --
dispute           admin     -- -- -- -- -- -- -- -- -- --
dispute           system    -- -- -- -- -- -- -- -- -- --

withdraw_dispute  buyer     -- -- -- -- -- -- -- de -- --   decisions 4
withdraw_dispute  provider  -- -- -- -- -- -- -- -- -- --
withdraw_dispute  admin     -- -- -- -- -- -- -- -- -- --
withdraw_dispute  system    -- -- -- -- -- -- -- -- -- --

cancel            buyer     ca ca ca ca -- -- -- -- -- --   spec; by an administrator: record 0018
cancel            provider  -- -- -- -- -- -- -- -- -- --
cancel            admin     ca ca ca ca -- -- -- -- -- --   spec; by an administrator: record 0018
cancel            system    -- -- -- -- -- -- -- -- -- --

decline           buyer     -- -- -- -- -- -- -- -- -- --
decline           provider  ca ca ca -- -- -- -- -- -- --   record 0018: the provider steps back before payment
decline           admin     -- -- -- -- -- -- -- -- -- --
decline           system    -- -- -- -- -- -- -- -- -- --

refund            buyer     -- -- -- -- -- -- -- -- -- --
refund            provider  -- -- -- ca ca ca ca ca -- --   decisions 4 from disputed; record 0018 any time after payment
refund            admin     -- -- -- -- -- -- -- -- -- --
refund            system    -- -- -- -- -- -- -- -- -- --

mark_overdue      buyer     -- -- -- -- -- -- -- -- -- --
mark_overdue      provider  -- -- -- -- -- -- -- -- -- --
mark_overdue      admin     -- -- -- -- -- -- -- -- -- --
mark_overdue      system    -- -- -- -- -- -- -- -- -- --

expire            buyer     -- -- -- -- -- -- -- -- -- --
expire            provider  -- -- -- -- -- -- -- -- -- --
expire            admin     -- -- -- -- -- -- -- -- -- --
expire            system    -- -- -- ca ca -- -- -- -- --   decisions 4: the delivery deadline passed

escalate          buyer     -- -- -- -- -- -- -- -- -- --
escalate          provider  -- -- -- -- -- -- -- -- -- --
escalate          admin     -- -- -- -- -- -- -- -- -- --
escalate          system    -- -- -- -- -- -- di -- -- --   decisions 4: seven days without a new delivery

contest           buyer     -- -- -- -- -- -- -- -- -- --
contest           provider  -- -- -- -- -- -- -- -- -- --
contest           admin     -- -- -- -- -- -- -- -- -- --
contest           system    -- -- -- ca ca ca ca ca -- --   decisions 3.4: the paying wallet moves its transfer to its own request

rule_release      buyer     -- -- -- -- -- -- -- -- -- --
rule_release      provider  -- -- -- -- -- -- -- -- -- --
rule_release      admin     -- -- -- -- -- -- -- co -- --   decisions 4
rule_release      system    -- -- -- -- -- -- -- -- -- --

rule_refund       buyer     -- -- -- -- -- -- -- -- -- --
rule_refund       provider  -- -- -- -- -- -- -- -- -- --
rule_refund       admin     -- -- -- -- -- -- -- ca -- --   decisions 4
rule_refund       system    -- -- -- -- -- -- -- -- -- --

rule_split        buyer     -- -- -- -- -- -- -- -- -- --
rule_split        provider  -- -- -- -- -- -- -- -- -- --
rule_split        admin     -- -- -- -- -- -- -- co -- --   decisions 4
rule_split        system    -- -- -- -- -- -- -- -- -- --

review            buyer     -- -- -- -- -- -- -- -- co --   spec: after completion
review            provider  -- -- -- -- -- -- -- -- -- --
review            admin     -- -- -- -- -- -- -- -- -- --
review            system    -- -- -- -- -- -- -- -- -- --
`;

/** Rows that differ if the provider was paid at hire. The other rows apply there, too. */
const paidAtHire = `
command           role      pq qu ac pa ip de rr di co ca   source

deliver           provider  -- -- -- de de de de di -- --   record 0032: owed work may come during the dispute, which goes on
dispute           buyer     -- -- -- di di di -- -- -- --   decisions 3.6: past its deadline it can be disputed
mark_overdue      system    -- -- -- pa ip -- -- -- -- --   decisions 3.6: past its deadline it is marked
`;

/** After a restore the chain shows the order's payout or refund: the market ends the order again. */
const afterRestore = `
command           role      pq qu ac pa ip de rr di co ca   source

auto_release      system    -- -- -- co co co co -- -- --   record 0027: its payout left
refund            system    -- -- -- ca ca ca ca ca -- --   record 0027: its refund left
`;

function readRows(text: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    text.split('\n').map((line) => {
      const [command = '', role = '', ...cells] = line.split(/\s+/);
      return [`${command} ${role}`, cells];
    }),
  );
}

const rows = readRows(table);
const rowsPaidAtHire = readRows(paidAtHire);
const rowsAfterRestore = readRows(afterRestore);

/** The state a command leads to, or undefined where it is forbidden. */
export function leadsTo(command: OrderCommand, role: OrderRole, from: OrderStatus, settled = false): OrderStatus | undefined {
  const name = `${command} ${role}`;
  return stateOf((settled ? rowsPaidAtHire.get(name) : undefined) ?? rows.get(name), from, name);
}

/** The state in which the market ends an order again whose payout or refund a restore found on the chain. */
export function leadsAgain(command: OrderCommand, role: OrderRole, from: OrderStatus): OrderStatus | undefined {
  const name = `${command} ${role}`;
  const row = rowsAfterRestore.get(name);
  return row && stateOf(row, from, name);
}

function stateOf(row: readonly string[] | undefined, from: OrderStatus, name: string): OrderStatus | undefined {
  const letters = row?.[Object.values<OrderStatus>(columns).indexOf(from)];
  if (letters === '--') return undefined;
  const to = Object.entries(columns).find(([known]) => known === letters)?.[1];
  if (to === undefined) throw new Error(`the table does not say where ${name} leads from ${from}`);
  return to;
}

export interface Condition {
  readonly commands: readonly OrderCommand[];
  /** Applies in every state if left out. */
  readonly from?: readonly OrderStatus[];
  readonly code: string;
  holds(order: LifecycleFacts, now: Date): boolean;
}

const before = (deadline: Date | null, now: Date): boolean => deadline === null || now < deadline;

/** Conditions besides state and role. An allowed cell is refused with the code of a condition that does not hold. */
export const conditions: readonly Condition[] = [
  // Only a quoted price can be quoted again.
  { commands: ['quote'], from: ['quoted'], code: 'price_is_listed', holds: ({ byQuote }) => byQuote },
  // A longer time in a new quote must be accepted before payment.
  { commands: ['pay'], from: ['quoted'], code: 'quote_changed', holds: ({ quoteLengthened }) => !quoteLengthened },
  // A plain order is delivered, a workspace answers requests.
  { commands: ['start'], code: 'workspace_works_by_requests', holds: ({ workspace }) => !workspace },
  { commands: ['deliver'], from: ['paid', 'in_progress'], code: 'workspace_works_by_requests', holds: ({ workspace }) => !workspace },
  { commands: ['expire', 'mark_overdue'], code: 'workspace_works_by_requests', holds: ({ workspace }) => !workspace },
  {
    commands: ['open_workspace', 'generate', 'answer_request', 'finish_workspace'],
    code: 'not_a_workspace',
    holds: ({ workspace }) => workspace,
  },
  // Delivery deadlines: turnaround plus 24 hours. A provider paid at hire still owes the work.
  { commands: ['start'], code: 'delivery_overdue', holds: (order, now) => order.settled || before(order.deliveryDeadline, now) },
  {
    commands: ['deliver'],
    from: ['paid', 'in_progress'],
    code: 'delivery_overdue',
    holds: (order, now) => order.settled || before(order.deliveryDeadline, now),
  },
  // Paid at hire and overdue: marked once, and the buyer may dispute before any delivery.
  { commands: ['mark_overdue'], code: 'illegal_transition', holds: ({ markedOverdue }) => !markedOverdue },
  { commands: ['dispute'], from: ['paid', 'in_progress'], code: 'workspace_works_by_requests', holds: ({ workspace }) => !workspace },
  {
    commands: ['dispute'],
    from: ['paid', 'in_progress'],
    code: 'deadline_not_reached',
    holds: (order, now) => order.deliveryDeadline !== null && !before(order.deliveryDeadline, now),
  },
  { commands: ['deliver'], from: ['disputed'], code: 'illegal_transition', holds: ({ delivered }) => !delivered },
  { commands: ['expire', 'mark_overdue'], code: 'deadline_not_reached', holds: (order, now) => !before(order.deliveryDeadline, now) },
  // The review window: the buyer may dispute for 48 hours, then the payment is released.
  { commands: ['deliver'], from: ['delivered'], code: 'review_window_over', holds: (order, now) => before(order.reviewDeadline, now) },
  {
    commands: ['revision', 'allow_revision', 'dispute'],
    from: ['delivered'],
    code: 'review_window_over',
    holds: (order, now) => before(order.reviewDeadline, now),
  },
  {
    commands: ['auto_release'],
    from: ['delivered'],
    code: 'review_window_open',
    holds: (order, now) => !before(order.reviewDeadline, now) || order.left === 'payout',
  },
  // Revisions: as many as agreed or granted, seven days for each.
  {
    commands: ['revision'],
    code: 'revision_limit_reached',
    holds: ({ revisionCount, maxRevisions, extraRevisions }) => revisionCount < maxRevisions + extraRevisions,
  },
  {
    commands: ['deliver'],
    from: ['revision_requested'],
    code: 'revision_overdue',
    holds: (order, now) => before(order.revisionDeadline, now),
  },
  { commands: ['escalate'], code: 'deadline_not_reached', holds: (order, now) => !before(order.revisionDeadline, now) },
  // A workspace runs until its period ends, or its quota is used up and answered.
  { commands: ['generate', 'answer_request'], code: 'workspace_over', holds: (order, now) => before(order.workspaceEndsAt, now) },
  {
    commands: ['generate'],
    code: 'quota_exhausted',
    holds: ({ quotaTotal, quotaUsed }) => quotaTotal === 0 || quotaUsed < quotaTotal,
  },
  {
    commands: ['finish_workspace'],
    code: 'workspace_running',
    holds: (order, now) =>
      !before(order.workspaceEndsAt, now) || (order.quotaTotal > 0 && order.quotaUsed >= order.quotaTotal && order.openRequests === 0),
  },
  // Money that was paid out to the provider cannot be refunded.
  { commands: ['cancel'], from: ['paid'], code: 'already_settled', holds: ({ settled }) => !settled },
  {
    commands: ['auto_release'],
    from: ['paid', 'in_progress', 'revision_requested'],
    code: 'already_settled',
    holds: ({ settled }) => !settled,
  },
  { commands: ['refund', 'expire', 'contest', 'rule_refund', 'rule_split'], code: 'already_settled', holds: ({ settled }) => !settled },
  // Reviews: one per order, between strangers.
  { commands: ['review'], code: 'related_party', holds: ({ relatedParty }) => !relatedParty },
  { commands: ['review'], code: 'review_exists', holds: ({ reviewed }) => !reviewed },
];

/** States that are frozen while the payment is reverted. */
const frozenWhenReverted: readonly OrderStatus[] = ['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed'];

/** The documented outcome of a command: the next state, or every code that may be given as the reason. */
export type Outcome = { readonly to: OrderStatus } | { readonly codes: readonly string[] };

export function expectedOutcome(order: LifecycleFacts, command: OrderCommand, role: OrderRole, now: Date): Outcome {
  // A withdrawn dispute needs a delivery to return to.
  const isOwedStill = command === 'withdraw_dispute' && order.settled && !order.delivered;
  const again = leadsAgain(command, role, order.status);
  const isLeft = order.left === (command === 'refund' ? 'refund' : 'payout');
  const cell = leadsTo(command, role, order.status, order.settled) ?? (isLeft ? again : undefined);
  const to = cell !== undefined && isOwedStill ? 'paid' : cell;
  // Only the market sends this command, and only if it found the payout or refund.
  if (to === undefined) return { codes: ['illegal_transition', ...(again === undefined ? [] : ['payment_reverted', 'already_settled'])] };
  if (order.paymentReverted && frozenWhenReverted.includes(order.status)) return { codes: ['payment_reverted'] };
  const codes = conditions
    .filter(({ commands, from }) => commands.includes(command) && (from === undefined || from.includes(order.status)))
    .filter((condition) => !condition.holds(order, now))
    .map(({ code }) => code);
  return codes.length > 0 ? { codes } : { to };
}

/** Whether the role may send this command in any state: if not, the refusal is about the person, not the order. */
export function everGives(command: OrderCommand, role: OrderRole): boolean {
  return Object.values(columns).some((from) => [false, true].some((settled) => leadsTo(command, role, from, settled) !== undefined));
}
