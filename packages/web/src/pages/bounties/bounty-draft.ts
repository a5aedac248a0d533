/** The draft of a bounty and its problems. The browser keeps it until the bounty is posted. Pure. */
import {
  type BountyMode,
  bountyDeadlineHours,
  bountyLimits,
  bountyModes,
  claimWindowHours,
  formatUsd,
  mostStakeMicros,
  parseUsd,
} from '@market/contract';
import type { MarketApiError } from '@market/sdk';
import type { Answer, Arguments } from '../../data/answers.ts';
import { type Category, categoryWords } from '../../words.ts';
import { joinBrief, splitBrief } from '../shared/brief-parts.ts';
import type { ReferenceImage } from '../shared/reference-images.tsx';

type DeadlineHours = (typeof bountyDeadlineHours)[number];
type WindowHours = (typeof claimWindowHours)[number];

/** The choices among the days that the API accepts. */
export const openDaysChoices: readonly number[] = [1, 3, bountyLimits.defaultOpenDays, 14, bountyLimits.mostOpenDays];

export interface BountyDraft {
  readonly title: string;
  readonly text: string;
  /** One per line. */
  readonly criteria: string;
  readonly category: Category | '';
  readonly budget: string;
  readonly deadlineHours: DeadlineHours;
  readonly windowHours: WindowHours;
  readonly openDays: number;
  readonly mode: BountyMode;
  /** Empty: claims need no stake. */
  readonly stake: string;
  /** One per line. */
  readonly links: string;
  readonly images: readonly ReferenceImage[];
  /** The Idempotency-Key of the bounty, so that posting twice by mistake posts it once. It changes with the words. */
  readonly postKey: string;
  readonly savedAt?: number | undefined;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'market.bounty.draft';

export const rules = {
  title: { least: 3, most: 100 },
  brief: { least: 10, most: 2000 },
  links: { most: 5 },
} as const;

export function emptyDraft(postKey: string): BountyDraft {
  return {
    title: '',
    text: '',
    criteria: '',
    category: '',
    budget: '',
    deadlineHours: 24,
    windowHours: bountyLimits.defaultClaimWindowHours,
    openDays: bountyLimits.defaultOpenDays,
    mode: 'open',
    stake: '',
    links: '',
    images: [],
    postKey,
  };
}

/** An unreadable draft becomes an empty one. */
export function readDraft(store: Store, newKey: () => string): BountyDraft {
  const empty = emptyDraft(newKey());
  try {
    const value: unknown = JSON.parse(store.getItem(KEY) ?? 'null');
    if (value === null || typeof value !== 'object') return empty;
    const draft = { ...empty, ...value } as BountyDraft;
    const texts = [draft.title, draft.text, draft.criteria, draft.budget, draft.links, draft.stake, draft.postKey, draft.category];
    const isSound =
      texts.every((text) => typeof text === 'string') &&
      Array.isArray(draft.images) &&
      (draft.category === '' || Object.hasOwn(categoryWords, draft.category)) &&
      bountyDeadlineHours.includes(draft.deadlineHours) &&
      claimWindowHours.includes(draft.windowHours) &&
      openDaysChoices.includes(draft.openDays) &&
      bountyModes.includes(draft.mode);
    return isSound ? draft : empty;
  } catch {
    return empty;
  }
}

export function keepDraft(store: Store, draft: BountyDraft): void {
  store.setItem(KEY, JSON.stringify(draft));
}

export function dropDraft(store: Store): void {
  store.removeItem(KEY);
}

/** The same bounty as a new draft, without its pictures. */
export function draftOf(bounty: Answer<'bounties.get'>['data'], postKey: string): BountyDraft {
  const { text, criteria } = splitBrief(bounty.brief);
  return {
    title: bounty.title,
    text,
    criteria: criteria.join('\n'),
    category: bounty.category,
    budget: bounty.budget_usd,
    deadlineHours: bountyDeadlineHours.find((hours) => hours === bounty.deadline_hours) ?? 24,
    windowHours: claimWindowHours.find((hours) => hours === bounty.claim_window_hours) ?? bountyLimits.defaultClaimWindowHours,
    openDays: openDaysChoices.find((days) => days === bounty.open_days) ?? bountyLimits.defaultOpenDays,
    mode: bounty.mode,
    stake: parseUsd(bounty.claim_stake_usd) === 0n ? '' : bounty.claim_stake_usd,
    links: bounty.reference_urls.join('\n'),
    images: [],
    postKey,
  };
}

export function briefOf({ text, criteria }: Pick<BountyDraft, 'text' | 'criteria'>): string {
  return joinBrief({ text, criteria: linesOf(criteria) });
}

/** Undefined while the text is no valid budget. */
export function budgetMicros({ budget }: Pick<BountyDraft, 'budget'>): bigint | undefined {
  const micros = parseUsd(budget.trim());
  return micros === undefined || micros < bountyLimits.leastBudgetMicros || micros % 10_000n !== 0n ? undefined : micros;
}

/** Undefined unless the budget allows the typed stake. */
function stakeMicros({ stake, budget }: Pick<BountyDraft, 'stake' | 'budget'>): bigint | undefined {
  const micros = stake.trim() === '' ? 0n : parseUsd(stake.trim());
  if (micros === undefined || micros === 0n) return micros;
  const most = mostStakeMicros(budgetMicros({ budget }) ?? 0n);
  return micros < bountyLimits.leastStakeMicros || micros > most || micros % 10_000n !== 0n ? undefined : micros;
}

export type DraftProblems = Partial<Record<'title' | 'text' | 'category' | 'budget' | 'stake' | 'links' | 'wallet', string>>;

export function findProblems(draft: BountyDraft): DraftProblems | undefined {
  const title = draft.title.trim().length;
  const brief = briefOf(draft).length;
  const links = linesOf(draft.links);
  const strange = links.find((link) => !/^https?:\/\/[^\s/]+\S*$/.test(link));
  const { title: titles, brief: briefs } = rules;
  const problems: DraftProblems = {
    ...((title < titles.least || title > titles.most) && {
      title: `A title has ${titles.least} to ${titles.most} characters. This one has ${title}.`,
    }),
    ...((brief < briefs.least || brief > briefs.most) && {
      text: `Task and criteria together have ${briefs.least} to ${briefs.most} characters. These have ${brief}.`,
    }),
    ...(draft.category === '' && { category: 'Choose one, so that the right agents find it.' }),
    ...(budgetMicros(draft) === undefined && {
      budget: `At least ${bountyLimits.leastBudgetUsd} USDC, with at most 2 decimals, for example 60.00.`,
    }),
    ...(stakeMicros(draft) === undefined && {
      stake: `Nothing, or ${bountyLimits.leastStakeUsd} USDC to ${bountyLimits.mostStakePercent}% of the budget, with at most 2 decimals.`,
    }),
    ...(strange !== undefined && { links: `"${strange.slice(0, 60)}" is no http or https address.` }),
    ...(links.length > rules.links.most && { links: `At most ${rules.links.most} links.` }),
  };
  return Object.keys(problems).length === 0 ? undefined : problems;
}

export function argumentsOf(draft: BountyDraft, wallet: string): Arguments<'bounties.post'> {
  const micros = budgetMicros(draft);
  const stake = stakeMicros(draft);
  return {
    title: draft.title.trim(),
    brief: briefOf(draft),
    category: draft.category === '' ? 'custom' : draft.category,
    budget_usd: micros === undefined ? draft.budget.trim() : formatUsd(micros),
    deadline_hours: draft.deadlineHours,
    claim_window_hours: draft.windowHours,
    open_days: draft.openDays,
    mode: draft.mode,
    ...(stake !== 0n && { claim_stake_usd: stake === undefined ? draft.stake.trim() : formatUsd(stake) }),
    client_wallet: wallet,
    reference_urls: linesOf(draft.links),
    reference_images: draft.images.map(({ url }) => url),
  };
}

const fieldOf: Readonly<Record<string, keyof DraftProblems>> = {
  title: 'title',
  brief: 'text',
  category: 'category',
  budget_usd: 'budget',
  claim_stake_usd: 'stake',
  reference_urls: 'links',
  client_wallet: 'wallet',
  bounty_text_refused: 'text',
  wallet_mismatch: 'wallet',
};

/** The API's refusal, next to the field concerned; undefined if it concerns none. */
export function problemsOfRefusal(error: MarketApiError | null): DraftProblems | undefined {
  if (error === null) return undefined;
  const field = fieldOf[error.code];
  if (field !== undefined) return { [field]: error.message };
  const issues = error.code === 'invalid_input' && Array.isArray(error.data?.['issues']) ? error.data['issues'] : [];
  const problems: DraftProblems = {};
  for (const issue of issues as { readonly field: string; readonly message: string }[]) {
    const named = fieldOf[issue.field.split('.')[0] ?? ''];
    if (named !== undefined) problems[named] ??= issue.message;
  }
  return Object.keys(problems).length === 0 ? undefined : problems;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
