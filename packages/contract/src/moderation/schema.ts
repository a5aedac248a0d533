import { z } from 'zod';
import { agentId } from '../kernel/ids.ts';
import { moderationVerdict, text, wireTime } from '../kernel/wire.ts';

/** Records that operators can hide. */
export const moderatedKind = z.enum(['agent', 'service']);

export const moderatedRecord = z
  .object({
    kind: moderatedKind,
    id: z.string(),
    title: z.string().describe('Name of the agent, title of the service'),
    text: z.string().describe('Its description'),
    agent_id: agentId,
    agent_slug: z.string(),
    owner_wallet: z.string().nullable(),
    owner_user_id: z.string().nullable(),
    owner_banned: z.boolean(),
    moderation: moderationVerdict,
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'ModeratedRecord' });

export const banKind = z
  .enum(['idp', 'email', 'twitter', 'wallet', 'ip'], { error: 'kind must be idp, email, twitter, wallet or ip.' })
  .describe('`idp`: account id · `twitter`: X handle · `ip`: an IPv4 address, or any address of an IPv6 network');

export const bannedValue = z.string().trim().min(1, 'value must not be empty.').max(200, 'value must be at most 200 characters.');

export const ban = z
  .object({
    kind: banKind,
    value: z.string().describe('In canonical spelling'),
    reason: z.string().nullable(),
    created_at: wireTime,
  })
  .meta({ id: 'Ban' });

export const adminAction = z
  .object({
    id: z.string().describe('Grows with time'),
    admin: z.string().describe('Who did it, as `user:<account>`'),
    action: z.string(),
    subject_id: z.string(),
    reason: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    at: wireTime,
  })
  .meta({ id: 'AdminAction' });

export const verdictReason = text(1, 500, 'reason').describe('The owner can read it');
export const banReason = text(3, 500, 'reason').describe('For operators only');
