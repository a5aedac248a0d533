/** Hides agents and services, and shows them again. Lists, pages and hiring read the status that is written here. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import type { ModerationContext } from './moderation-context.ts';
import { presentModerated } from './present.ts';
import { recordAdminAction } from './record-action.ts';
import { listFlagged, lockModerated, type ModeratedRow, type Verdict, writeVerdict } from './verdicts-repository.ts';

const unknown = { agent: 'agent_not_found', service: 'service_not_found' } as const;
const moderated = { agent: 'agent.moderated', service: 'service.moderated' } as const;

export function verdictHandlers({ database, events }: ModerationContext): Pick<HandlersOf<'moderation'>, 'queue' | 'setVerdict'> {
  return {
    async queue(filters) {
      const { rows, total, nextCursor } = await listFlagged(database.db, filters);
      return { data: rows.map(presentModerated), total, next_cursor: nextCursor };
    },

    async setVerdict({ kind, id, status, reason: given }, call) {
      return await call.commit(async (tx) => {
        const before = await lockModerated(tx, kind, id);
        if (before === undefined) throw new MarketError(unknown[kind]);
        // A record with the verdict `ok` has no reason; the operators' log keeps it.
        const reason = status === 'ok' ? null : (given ?? null);
        if (before.status !== status || before.reason !== reason) {
          await writeVerdict(tx, before, status, reason);
          const details = { from: before.status, to: status };
          await recordAdminAction(tx, call.caller, { action: moderated[kind], subjectId: before.id, reason: given ?? null, details });
          await events.append(tx, [eventOf(before, status, given ?? null)]);
        }
        return { data: presentModerated({ ...before, status, reason }) };
      });
    },
  };
}

/** The event about a verdict. Its private context names the owner, who is notified. */
function eventOf(record: ModeratedRow, status: Verdict, reason: string | null): NewEvent {
  return {
    type: moderated[record.kind],
    subjectId: record.id,
    agentId: record.agentId,
    data: { agent_id: record.agentId, title: record.title, status, reason },
    context: { previous_status: record.status, owner_wallet: record.ownerWallet, owner_user_id: record.ownerUserId },
  };
}
