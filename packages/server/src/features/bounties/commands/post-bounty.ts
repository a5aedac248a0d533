/** A buyer posts a bounty. Nothing is paid until a claim is accepted. */
import {
  bountyEnd,
  bountyLimits,
  formatUsd,
  MarketError,
  mostStakeMicros,
  type OperationArguments,
  type Operations,
  parseUsd,
} from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { walletsOf } from '../../../access/caller.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { newId } from '../../../platform/random.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { ensureUser } from '../../accounts/identity/index.ts';
import { reviewText } from '../../moderation/index.ts';
import { appendBountyEvents } from '../append-events.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { posterActions } from '../next-actions.ts';
import { presentBounty } from '../present.ts';
import { insertBounty } from '../repository.ts';
import { expiryJob } from '../timers.ts';
import { requireBounty } from '../viewers.ts';

type Posted = OperationArguments<Operations['bounties']['post']>;

export function postBounty(context: BountiesContext): HandlersOf<'bounties'>['post'] {
  return async (input, call) => {
    requireStakeInBounds(input);
    const verdict = reviewText(input.title, input.brief);
    if (verdict.status !== 'ok') throw new MarketError('bounty_text_refused', { data: { reason: verdict.reason } });
    const wallet = canonicalWallet(input.client_wallet)?.address;
    if (wallet === undefined || !walletsOf(call.caller).includes(wallet)) {
      throw new MarketError('wallet_mismatch', { message: 'client_wallet must be a wallet you signed with or linked to your account.' });
    }
    return await call.commit((tx) => post(tx, context, call, input, wallet));
  };
}

async function post(tx: Tx, context: BountiesContext, call: Call, input: Posted, clientWallet: string) {
  const { user } = call.caller;
  const now = context.clock.now();
  const id = newId('bnty', now);
  if (user !== undefined) await ensureUser(tx, user.identity, now);
  const images = await context.files.attach(tx, input.reference_images, { by: call.caller, subjectId: id });
  if (images.includes(null)) throw new MarketError('foreign_reference_image');
  const budgetMicros = parseUsd(input.budget_usd) ?? 0n;
  const windowHours = input.claim_window_hours === 0 ? bountyLimits.defaultClaimWindowHours : input.claim_window_hours;
  const expiresAt = bountyEnd(now, input.open_days);
  const bounty = {
    id,
    userId: user?.id ?? null,
    clientWallet,
    title: input.title,
    brief: input.brief,
    category: input.category,
    budgetMicros,
    deadlineHours: input.deadline_hours,
    claimWindowHours: windowHours,
    openDays: input.open_days,
    mode: input.mode,
    claimStakeMicros: parseUsd(input.claim_stake_usd ?? '0') ?? 0n,
    referenceUrls: input.reference_urls,
    referenceImages: input.reference_images,
    orderId: newId('ord', now),
    expiresAt,
    createdAt: now,
    updatedAt: now,
  };
  await insertBounty(tx, bounty);
  const data = { bounty_id: id, title: input.title, budget_usd: formatUsd(budgetMicros) };
  await appendBountyEvents(tx, context, bounty, [{ type: 'bounty.posted', data, forPoster: true }]);
  await enqueueJobs(tx, [expiryJob(id, expiresAt)]);
  reachCrashPoint('bounty.after_post');
  const posted = await requireBounty(tx, id);
  const shown = presentBounty(context, posted, { isPoster: true, isAdmin: false, isWinner: false });
  return { data: { ...shown, next_actions: [...posterActions(posted)] } };
}

/** Checks the stake against the budget, which the schema of a single field cannot do. */
function requireStakeInBounds({ claim_stake_usd: stake = '0', budget_usd: budget }: Posted): void {
  const maxMicros = mostStakeMicros(parseUsd(budget) ?? 0n);
  if ((parseUsd(stake) ?? 0n) <= maxMicros) return;
  const message = `claim_stake_usd must be at most ${formatUsd(maxMicros)}: ${bountyLimits.mostStakePercent}% of the budget.`;
  throw new MarketError('invalid_input', { message, data: { issues: [{ field: 'claim_stake_usd', message }] } });
}
