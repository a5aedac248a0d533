// Writes a document from a brief by fixed rules: tasks, key terms and open questions. The same brief gives the same document.

export interface DocumentRequest {
  readonly brief: string;
  /** The buyer's feedback on earlier rounds, oldest first. */
  readonly feedback: readonly string[];
  readonly audience?: string | undefined;
}

const COMMON = new Set(
  `a about after all also an and any are as at be because been before but by can could do does for from get had has have he her here him his how i if in into is it its
  just like make me more most my need needs no not now of on one only or other our out over own people please she should so some such than that the their them then
  there these they this those to too two up us use very want was we were what when where which who will with would write you your`.split(
    /\s+/,
  ),
);

export function writeOutline({ brief, feedback, audience }: DocumentRequest): string {
  const sentences = splitSentences(brief);
  const terms = keyTerms(brief);
  const parts = [
    `# ${titleOf(sentences[0] ?? brief)}`,
    audience === undefined ? '' : `*For: ${audience}*`,
    '## What is asked for',
    sentences.map((sentence, index) => `${index + 1}. ${sentence}`).join('\n'),
    '## Terms that matter',
    terms.map(({ term, count }) => `- **${term}**${count > 1 ? ` (${count} times)` : ''}`).join('\n'),
    '## Outline',
    outlineOf(
      sentences,
      terms.map(({ term }) => term),
    ),
    '## Open questions',
    asList(openQuestions(brief)),
    '## Checklist',
    sentences.map((sentence) => `- [ ] ${sentence.replace(/[.?!]+$/, '')}`).join('\n'),
    ...(feedback.length === 0
      ? []
      : ['## Changes after your feedback', feedback.map((words, index) => changeOf(words, index)).join('\n\n')]),
  ].filter((part) => part !== '');
  return withCount(parts.join('\n\n'), brief);
}

export function writeQuestions({ brief, feedback }: DocumentRequest): string {
  const parts = [
    `# Questions about: ${titleOf(splitSentences(brief)[0] ?? brief)}`,
    'Sorted by what somebody who does the work would ask first.',
    asList(openQuestions(`${brief} ${feedback.join(' ')}`)),
    ...(feedback.length === 0 ? [] : ['## You added', asList(feedback)]),
  ];
  return withCount(parts.join('\n\n'), brief);
}

function withCount(document: string, brief: string): string {
  const words = countWords(document);
  return `${document}\n\n---\n\n${words} words, ${Math.max(1, Math.round(words / 200))} min to read. Made from a brief of ${countWords(brief)} words.\n`;
}

export function countWords(text: string): number {
  return (text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []).length;
}

function splitSentences(text: string): string[] {
  return (text.replace(/\s+/g, ' ').match(/[^.!?]+[.!?]*/g) ?? []).map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}

function titleOf(sentence: string): string {
  const words = sentence.replace(/[.!?:;,]+$/, '').split(' ');
  return words.length <= 10 ? words.join(' ') : `${words.slice(0, 10).join(' ')} …`;
}

interface Term {
  readonly term: string;
  readonly count: number;
}

/** The key terms of the brief: repeated words first, then long ones, then early ones. */
function keyTerms(brief: string): readonly Term[] {
  const counts = new Map<string, number>();
  for (const word of brief.toLowerCase().match(/[\p{L}][\p{L}-]{2,}/gu) ?? [])
    if (!COMMON.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .map(([term, count]) => ({ term, count }))
    .sort((a, b) => b.count - a.count || b.term.length - a.term.length)
    .slice(0, 8);
}

function outlineOf(sentences: readonly string[], terms: readonly string[]): string {
  const chapters = sentences.slice(0, 6).map((sentence, index) => {
    const own = terms.filter((term) => sentence.toLowerCase().includes(term)).slice(0, 3);
    return `${index + 2}. ${titleOf(sentence)}${own.length === 0 ? '' : `\n   - covers ${own.join(', ')}`}`;
  });
  return ['1. Why this, and why now', ...chapters, `${chapters.length + 2}. How we will know that it is done`].join('\n');
}

/** Questions to the buyer. A question is open if nothing in the brief matches `answered`. */
const questions: readonly { readonly ask: string; readonly answered: RegExp }[] = [
  {
    ask: 'When does it have to be ready?',
    answered: /\b(by|until|before|deadline|week|month|today|tomorrow|spring|summer|autumn|winter|monday|friday)\b/i,
  },
  { ask: 'Who is it for?', answered: /\b(for (the|our|people|customers|visitors|readers|users)|audience|customers|visitors|readers)\b/i },
  { ask: 'How much of it: how many, how long, how large?', answered: /\d/ },
  { ask: 'What may it cost, in money or in time?', answered: /\b(budget|cost|price|usd|usdc|eur|hours?|days?)\b/i },
  { ask: 'What is there already that must be kept?', answered: /\b(existing|already|current|keep|attached|old)\b/i },
  { ask: 'Who decides whether it is good?', answered: /\b(approve|decide|sign off|accept|check)\b/i },
  { ask: 'What should it not be?', answered: /\b(not|no|without|never|avoid)\b/i },
];

function openQuestions(brief: string): string[] {
  const open = questions.filter(({ answered }) => !answered.test(brief)).map(({ ask }) => ask);
  return open.length > 0
    ? open
    : ['None of the usual ones. The brief answers when, who, how much, what it may cost and what it should not be.'];
}

function changeOf(feedback: string, index: number): string {
  const points = splitSentences(feedback).map((sentence) => `- ${sentence}`);
  return `**Round ${index + 2}.** You asked:\n\n${points.join('\n')}\n\nTerms added: ${
    keyTerms(feedback)
      .slice(0, 4)
      .map(({ term }) => term)
      .join(', ') || 'none'
  }.`;
}

function asList(lines: readonly string[]): string {
  return lines.map((line, index) => `${index + 1}. ${line}`).join('\n');
}
