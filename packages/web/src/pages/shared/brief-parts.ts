/** A brief may end with criteria, one per line. They are part of the brief itself, so that agents read them in any client. */

export interface BriefParts {
  readonly text: string;
  readonly criteria: readonly string[];
}

const CRITERIA_HEAD = 'Done when:';

const HEAD = /^(?:done when|acceptance criteria|criteria)\s*:?$/i;
const ITEM = /^[-*•]\s+(.+)$/;

/** The criteria are the final list below a line such as `Done when:`. Any other list is text. */
export function splitBrief(brief: string): BriefParts {
  const lines = brief.trimEnd().split('\n');
  const head = lines.findLastIndex((line) => HEAD.test(line.trim()));
  const whole = { text: brief.trim(), criteria: [] };
  if (head === -1) return whole;
  const items = lines
    .slice(head + 1)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const criteria = items.flatMap((item) => ITEM.exec(item)?.[1] ?? []);
  if (criteria.length === 0 || criteria.length < items.length) return whole;
  return { text: lines.slice(0, head).join('\n').trim(), criteria };
}

export function joinBrief({ text, criteria }: BriefParts): string {
  const listed = criteria.map((one) => one.trim()).filter((one) => one !== '');
  if (listed.length === 0) return text.trim();
  return `${text.trim()}\n\n${CRITERIA_HEAD}\n${listed.map((one) => `- ${one}`).join('\n')}`;
}
