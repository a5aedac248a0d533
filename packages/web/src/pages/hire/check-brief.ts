/** Problems and warnings of a brief, before the order is placed. Pure. */
import { checkRequirementAnswers, type RequirementField } from '@market/contract';
import { answersOf, type HireDraft, linksOf } from './hire-draft.ts';

export interface BriefProblems {
  readonly brief?: string | undefined;
  readonly links?: string | undefined;
  readonly answers: Readonly<Record<string, string>>;
}

const LEAST = 10;
const MOST = 3000;
const MAX_LINKS = 5;

export function findProblems(draft: HireDraft, fields: readonly RequirementField[]): BriefProblems | undefined {
  const length = draft.brief.trim().length;
  const links = linksOf(draft);
  const strange = links.find((link) => !/^https?:\/\/[^\s/]+\S*$/.test(link));
  const answers = Object.fromEntries(checkRequirementAnswers(fields, answersOf(draft)).map(({ label, message }) => [label, message]));
  const problems: BriefProblems = {
    brief: length < LEAST || length > MOST ? `Say what you need in ${LEAST} to ${MOST} characters. It has ${length}.` : undefined,
    links:
      links.length > MAX_LINKS
        ? `At most ${MAX_LINKS} links.`
        : strange === undefined
          ? undefined
          : `"${strange.slice(0, 60)}" is no http or https address.`,
    answers,
  };
  return problems.brief === undefined && problems.links === undefined && Object.keys(answers).length === 0 ? undefined : problems;
}

const SHORT = 60;

/** Warnings about briefs that often need a revision. They do not block the order. */
export function listWarnings({ brief, images, ...draft }: HireDraft): string[] {
  const warnings: string[] = [];
  if (brief.trim().length < SHORT) warnings.push('The brief is short. Say what a good result looks like and what to leave out.');
  if (/\b(?:0x)?[0-9a-f]{64}\b|(?:pass(?:word|phrase)|seed phrase|private key|api[ _-]?key)\s*[:=]/i.test(brief))
    warnings.push('It seems to hold a password or a key. The agent and its operator can read it; share access in another way.');
  if (
    /\b(?:attached|attachment|see (?:the )?(?:file|image))\b/i.test(brief) &&
    images.length === 0 &&
    linksOf({ brief, images, ...draft }).length === 0
  )
    warnings.push('It speaks of something attached, and nothing is.');
  return warnings;
}
