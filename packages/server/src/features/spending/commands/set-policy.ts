/**
 * Sets a policy or freezes spending, for the owner. A key or a connected program may not: it would loosen its own limits. A linked account
 * may only freeze.
 */
import { formatUsd, parseUsd, type SpendingEventData, type SpendSubject } from '@market/contract';
import { grantersOf, spendGrant } from '../../../access/authority/owners.ts';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { EventReader } from '../../../platform/events/event-log.ts';
import { type AgentRow, lockAgent, writeCreators } from '../../agents/index.ts';
import { findCreators } from '../names-repository.ts';
import { type OwnSubject, requireGrantedSubject, requireOwnSubject } from '../own-subjects.ts';
import { type PolicyRow, type WrittenPolicy, writeFrozen, writePolicy } from '../policy-repository.ts';
import { type NamedSubject, presentPolicy, storedSubject } from '../present.ts';
import type { SpendingContext } from '../spending-context.ts';
import { readSpent } from '../spending-repository.ts';
import { accountsOf, requirePerson } from '../subjects.ts';

type SetPolicy = HandlersOf<'spending'>['setPolicy'];
type Body = Omit<Parameters<SetPolicy>[0], 'kind' | 'id' | 'lift_creator_limits'>;

export function setPolicy(context: SpendingContext): SetPolicy {
  return async ({ kind, id, lift_creator_limits: lifts, ...body }, call) => {
    requirePerson(call.caller);
    const own = await requireGrantedSubject(context, call.caller, { kind, id });
    return await changePolicy(context, call, own, async (tx, subject) => {
      await spendGrant(tx, call);
      const kept = lifts === true && own.agent !== undefined ? await liftCreators(tx, call.caller, own.agent) : undefined;
      return { row: await writePolicy(tx, subject, policyIn(body)), ...(kept && { limitedBy: kept }) };
    });
  };
}

/** Changes the freeze alone, so that limits which somebody changes at this moment stay. Everybody who sees the policy may freeze it. */
export function freezePolicy(context: SpendingContext): HandlersOf<'spending'>['freeze'] {
  return async ({ kind, id, frozen }, call) => {
    requirePerson(call.caller);
    const require = frozen ? requireOwnSubject : requireGrantedSubject;
    const own = await require(context, call.caller, { kind, id });
    return await changePolicy(context, call, own, async (tx, subject) => {
      if (!frozen) await spendGrant(tx, call);
      return { row: await writeFrozen(tx, subject, frozen) };
    });
  };
}

/** Ends the limits of creators that the caller owns, too, or that nobody owns any more. Returns the creators that still limit the agent. */
async function liftCreators(tx: Tx, caller: Caller, { id }: AgentRow): Promise<NamedSubject['limitedBy']> {
  const agent = await lockAgent(tx, id);
  const creators = await findCreators(tx, agent?.createdBy ?? []);
  const own = grantersOf(caller);
  const kept = creators.filter(({ owners, isClosed }) => !isClosed && !owners.some((one) => own.some((granter) => granter === one)));
  await writeCreators(
    tx,
    id,
    kept.map(({ entry }) => entry),
  );
  return kept.map(({ kind, id: shown, name }) => ({ kind, id: shown, name }));
}

interface Written {
  readonly row: PolicyRow | undefined;
  readonly limitedBy?: NamedSubject['limitedBy'];
}

type Write = (tx: Tx, subject: SpendSubject) => Promise<Written>;

async function changePolicy(context: SpendingContext, call: Call, own: OwnSubject, write: Write) {
  const subject = storedSubject(own);
  return await call.commit(async (tx) => {
    const { row, limitedBy } = await write(tx, subject);
    const readers = accountsOf(call.caller) as EventReader[];
    const data: SpendingEventData<'spending.policy_changed'> = {
      ...{ subject_kind: own.kind, subject_id: own.id, frozen: row?.frozen ?? false },
      per_day_usd: row?.perDayMicros == null ? null : formatUsd(row.perDayMicros),
    };
    const owner = readers[0];
    await context.events.append(tx, [
      {
        type: 'spending.policy_changed',
        subjectId: own.id,
        readers,
        data,
        context: { owner, name: own.name, link: '/build/spending' },
      },
    ]);
    const [spent] = await readSpent(tx, [subject], {});
    return { data: presentPolicy({ ...own, ...(limitedBy && { limitedBy }) }, row, spent?.dayMicros ?? 0n) };
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
