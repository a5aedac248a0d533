import { type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { AdminActionRow } from './admin-actions-repository.ts';
import type { BanRow } from './bans-repository.ts';
import type { ModeratedRow } from './verdicts-repository.ts';

type Answers = { [M in keyof Operations['moderation']]: OperationAnswer<Operations['moderation'][M]>['data'] };

export function presentModerated(record: ModeratedRow): Answers['setVerdict'] {
  return {
    kind: record.kind,
    id: record.id,
    title: record.title,
    text: record.text,
    agent_id: record.agentId,
    agent_slug: record.agentSlug,
    owner_wallet: record.ownerWallet,
    owner_user_id: record.ownerUserId,
    owner_banned: record.ownerBanned,
    moderation: { status: record.status, reason: record.reason },
    created_at: toWireTime(record.createdAt),
    updated_at: toWireTime(record.updatedAt),
  };
}

export function presentBan({ kind, value, reason, createdAt }: BanRow): Answers['ban'] {
  return { kind, value, reason, created_at: toWireTime(createdAt) };
}

export function presentAction({ id, admin, action, subjectId, reason, details, at }: AdminActionRow): Answers['log'][number] {
  return { id: String(id), admin, action, subject_id: subjectId, reason, details: details as Record<string, unknown>, at: toWireTime(at) };
}
