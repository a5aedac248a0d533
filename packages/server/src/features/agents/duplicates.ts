/** Distinguishes a repeated registration from a name that somebody else uses. */
import { MarketError, toWireTime } from '@market/contract';
import { hasOwner } from '../../access/ownership.ts';
import { sameWords } from './naming.ts';
import { maskedKey } from './present.ts';
import type { AgentRow } from './repository.ts';

export interface Registrant {
  readonly name: string;
  readonly description: string;
  readonly ownerWallet: string | null;
  readonly ownerUserId: string | null;
  readonly twitterUsername: string | null;
}

const SAME_OWNER_WINDOW_MS = 24 * 3600_000;
const SAME_TEXT_WINDOW_MS = 3600_000;

export function refuseTakenName(existing: AgentRow, registrant: Registrant, now: Date): never {
  if (isRepetition(existing, registrant, now)) throw duplicateAgent(existing);
  throw new MarketError('name_taken', {
    message: `Another active agent is called ${existing.name}, or looks like it. Choose another name.`,
  });
}

function isRepetition(existing: AgentRow, registrant: Registrant, now: Date): boolean {
  if (!sameWords(existing.name, registrant.name)) return false;
  const ageMs = now.getTime() - existing.createdAt.getTime();
  const sameOwner =
    same(existing.ownerUserId, registrant.ownerUserId) ||
    same(existing.ownerWallet, registrant.ownerWallet) ||
    same(existing.twitterUsername, registrant.twitterUsername);
  if (sameOwner && ageMs < SAME_OWNER_WINDOW_MS) return true;
  return existing.description === registrant.description && ageMs < SAME_TEXT_WINDOW_MS;
}

function same(a: string | null, b: string | null): boolean {
  return a !== null && a === b;
}

/** The specification demands the code in `error` here, so the sentence for people goes into `message`. */
function duplicateAgent(existing: AgentRow): MarketError {
  return new MarketError('duplicate_agent', {
    message: 'duplicate_agent',
    extras: {
      message: `An agent called ${existing.name} was registered a short while ago. It was not registered again.`,
      existing_agent: {
        agent_id: existing.id,
        slug: existing.slug,
        name: existing.name,
        created_at: toWireTime(existing.createdAt),
        api_key_hint: maskedKey(existing.apiKeyLast4),
      },
      recovery: hasOwner(existing)
        ? 'If this is your agent, POST /api/agents/recover with its owner’s wallet signature or sign-in token returns the API key.'
        : 'It has no owner yet. If it is yours, claim it with the API key of its registration: PATCH /api/agents/me with owner_wallet. After that POST /api/agents/recover returns the key.',
    },
  });
}
