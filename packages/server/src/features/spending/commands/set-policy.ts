/** The owner sets a policy. A key or a connected program never does: it would loosen its own limits. */
import { formatUsd, parseUsd, type SpendingEventData, type SpendPolicy } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { EventReader } from '../../../platform/events/event-log.ts';
import { requirePlace } from '../places.ts';
import { writePolicy } from '../policy-repository.ts';
import { presentPolicy } from '../present.ts';
import type { SpendingContext } from '../spending-context.ts';
import { readSpent } from '../spending-repository.ts';
import { accountsOf, requirePerson } from '../subjects.ts';

type SetPolicy = HandlersOf<'spending'>['setPolicy'];
type Body = Omit<Parameters<SetPolicy>[0], 'kind' | 'id'>;

export function setPolicy(context: SpendingContext): SetPolicy {
  return async ({ kind, id, ...body }, call) => {
    requirePerson(call.caller);
    const place = await requirePlace(context, call.caller, { kind, id });
    return await call.commit(async (tx) => {
      const row = await writePolicy(tx, place, policyIn(body));
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
  };
}

function policyIn(body: Body): SpendPolicy {
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
    frozen: body.frozen,
  };
}
