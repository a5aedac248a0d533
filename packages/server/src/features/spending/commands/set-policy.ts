/** The owner sets a policy, or freezes spending. A key or a connected program never does: it would loosen its own limits. */
import { formatUsd, parseUsd, type SpendingEventData, type SpendSubject } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { EventReader } from '../../../platform/events/event-log.ts';
import { requirePlace } from '../places.ts';
import { type PolicyRow, type WrittenPolicy, writeFrozen, writePolicy } from '../policy-repository.ts';
import { presentPolicy } from '../present.ts';
import type { SpendingContext } from '../spending-context.ts';
import { readSpent } from '../spending-repository.ts';
import { accountsOf, requirePerson } from '../subjects.ts';

type SetPolicy = HandlersOf<'spending'>['setPolicy'];
type Body = Omit<Parameters<SetPolicy>[0], 'kind' | 'id'>;

export function setPolicy(context: SpendingContext): SetPolicy {
  return async ({ kind, id, ...body }, call) =>
    await changePolicy(context, call, { kind, id }, (tx, place) => writePolicy(tx, place, policyIn(body)));
}

/** Leaves the limits as they are, also those that somebody changes at this moment. */
export function freezePolicy(context: SpendingContext): HandlersOf<'spending'>['freeze'] {
  return async ({ kind, id, frozen }, call) =>
    await changePolicy(context, call, { kind, id }, (tx, place) => writeFrozen(tx, place, frozen));
}

type Write = (tx: Tx, place: SpendSubject) => Promise<PolicyRow | undefined>;

async function changePolicy(context: SpendingContext, call: Call, subject: SpendSubject, write: Write) {
  requirePerson(call.caller);
  const place = await requirePlace(context, call.caller, subject);
  return await call.commit(async (tx) => {
    const row = await write(tx, place);
    const readers = accountsOf(call.caller) as EventReader[];
    const data: SpendingEventData<'spending.policy_changed'> = {
      ...{ subject_kind: place.kind, subject_id: place.id, frozen: row?.frozen ?? false },
      per_day_usd: row?.perDayMicros == null ? null : formatUsd(row.perDayMicros),
    };
    const owner = readers[0];
    await context.events.append(tx, [
      {
        type: 'spending.policy_changed',
        subjectId: place.id,
        readers,
        data,
        context: { owner, name: place.name, link: '/build/spending' },
      },
    ]);
    const [spent] = await readSpent(tx, [place], {});
    return { data: presentPolicy(place, row, spent?.dayMicros ?? 0n) };
  });
}

function policyIn(body: Body): WrittenPolicy {
  const micros = (amount: string | number | null | undefined): bigint | null => (amount == null ? null : (parseUsd(amount) ?? null));
  return {
    perOrderMicros: micros(body.per_order_usd),
    perDayMicros: micros(body.per_day_usd),
    perProviderDayMicros: micros(body.per_provider_day_usd),
    perCategoryDayMicros: micros(body.per_category_day_usd),
    allowAgents: body.allow_agents,
    blockAgents: body.block_agents,
    allowCategories: body.allow_categories,
    blockCategories: body.block_categories,
    approveAboveMicros: micros(body.approve_above_usd),
    ...(body.frozen !== undefined && { frozen: body.frozen }),
  };
}
