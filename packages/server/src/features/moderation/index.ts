/** Moderation: bans, hidden agents and services, and the log of operators. */
import type { HandlersOf } from '../../access/call.ts';
import { listAdminActions } from './admin-actions-repository.ts';
import { banHandlers } from './bans.ts';
import type { ModerationContext } from './moderation-context.ts';
import { presentAction } from './present.ts';
import { verdictHandlers } from './verdicts.ts';

export function moderationHandlers(context: ModerationContext): HandlersOf<'moderation'> {
  return {
    ...verdictHandlers(context),
    ...banHandlers(context),
    async log(filters) {
      const { rows, total, nextCursor } = await listAdminActions(context.database.db, filters);
      return { data: rows.map(presentAction), total, next_cursor: nextCursor };
    },
  };
}

export { adminName, recordAdminAction, recordOperatorAction } from './record-action.ts';
export { findBlockedWord, reviewText } from './review-text.ts';
