/** Bans, and lifting them. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { isCallerBanned } from '../../access/refuse-banned.ts';
import { deleteBan, listBans, saveBan } from './bans-repository.ts';
import { canonicalIdentity } from './canonical-identity.ts';
import type { ModerationContext } from './moderation-context.ts';
import { presentBan } from './present.ts';
import { recordAdminAction } from './record-action.ts';

export function banHandlers({ database }: ModerationContext): Pick<HandlersOf<'moderation'>, 'bans' | 'ban' | 'unban'> {
  return {
    async bans(filters) {
      const { rows, total, nextCursor } = await listBans(database.db, filters);
      return { data: rows.map(presentBan), total, next_cursor: nextCursor };
    },

    async ban({ kind, value: given, reason }, call) {
      const value = canonicalIdentity(kind, given);
      return await call.commit(async (tx) => {
        const ban = await saveBan(tx, { kind, value, reason });
        // A ban affects the whole person, so check its effect on the caller, not the identity that was named.
        if (await isCallerBanned(tx, call.caller, call.clientAddress)) throw new MarketError('cannot_ban_yourself');
        await recordAdminAction(tx, call.caller, { action: 'banned', subjectId: `${kind}:${value}`, reason, details: {} });
        return { data: presentBan(ban) };
      });
    },

    async unban({ kind, value: given }, call) {
      const value = canonicalIdentity(kind, given);
      return await call.commit(async (tx) => {
        const ban = await deleteBan(tx, kind, value);
        if (ban === undefined) throw new MarketError('ban_not_found');
        const details = { banned_because: ban.reason };
        await recordAdminAction(tx, call.caller, { action: 'unbanned', subjectId: `${kind}:${value}`, reason: null, details });
        return { data: presentBan(ban) };
      });
    },
  };
}
