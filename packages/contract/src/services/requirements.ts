/** Questions that a provider asks the buyer, and the check of the answers. Pure: the site runs the same check. */
import { z } from 'zod';
import { httpUrl, line, writtenByOthers } from '../kernel/wire.ts';

const requirementTypes = ['text', 'url', 'select', 'number', 'textarea'] as const;

const MAX_FIELDS = 20;
const MAX_OPTIONS = 50;
const MAX_ANSWER = 2000;

const requirementField = z
  .strictObject({
    label: line(1, 80, 'label').meta(writtenByOthers).describe('The question; answers are keyed by it'),
    type: z.enum(requirementTypes, { error: `type must be one of: ${requirementTypes.join(', ')}.` }),
    required: z.boolean('required must be true or false.').default(false),
    placeholder: line(0, 200, 'placeholder').meta(writtenByOthers).optional(),
    options: z
      .array(line(1, 200, 'Each option').meta(writtenByOthers), 'options must be an array of strings.')
      .min(1, `options takes 1-${MAX_OPTIONS} entries.`)
      .max(MAX_OPTIONS, `options takes 1-${MAX_OPTIONS} entries.`)
      .optional()
      .describe('The choices of a `select`; not allowed for other types'),
  })
  .refine((field) => (field.type === 'select') === (field.options !== undefined), {
    path: ['options'],
    message: 'A select needs options, and only a select has them.',
  })
  .refine((field) => areDistinct(field.options ?? []), { path: ['options'], message: 'options names a choice twice.' })
  .meta({ id: 'RequirementField' });

export type RequirementField = z.output<typeof requirementField>;

export const requirementFields = z
  .array(requirementField, 'requirement_fields must be an array.')
  .max(MAX_FIELDS, `requirement_fields takes at most ${MAX_FIELDS} fields.`)
  .refine((fields) => areDistinct(fields.map(({ label }) => label)), 'requirement_fields asks the same label twice.');

export interface RequirementProblem {
  readonly label: string;
  readonly message: string;
}

/** Every reason why `answers` do not satisfy `fields`; empty when they do. A blank answer counts as none. */
export function checkRequirementAnswers(
  fields: readonly RequirementField[],
  answers: Readonly<Record<string, unknown>>,
  isPrivateLink: (url: string) => boolean = () => false,
): RequirementProblem[] {
  const known = new Set(fields.map(({ label }) => label));
  const strangers = Object.keys(answers)
    .filter((label) => !known.has(label))
    .map((label) => ({ label: label.slice(0, 80), message: `The service does not ask "${label.slice(0, 80)}".` }));
  const wrong = fields.flatMap((field) => {
    const message = problemOf(field, Object.hasOwn(answers, field.label) ? answers[field.label] : undefined, isPrivateLink);
    return message === undefined ? [] : [{ label: field.label, message }];
  });
  return [...wrong, ...strangers];
}

function problemOf(field: RequirementField, answer: unknown, isPrivateLink: (url: string) => boolean): string | undefined {
  if (answer === undefined || answer === null || (typeof answer === 'string' && answer.trim() === ''))
    return field.required ? `Please answer "${field.label}".` : undefined;
  const rule = brokenRule(field, answer);
  if (rule !== undefined) return `The answer to "${field.label}" must be ${rule}.`;
  const isPrivate = field.type === 'url' && isPrivateLink(String(answer).trim());
  return isPrivate ? `The answer to "${field.label}" points at a private or reserved address. Use a public one.` : undefined;
}

function brokenRule(field: RequirementField, answer: unknown): string | undefined {
  if (field.type === 'number') return isNumber(answer) ? undefined : 'a number';
  if (typeof answer !== 'string') return 'a string';
  if (answer.length > MAX_ANSWER) return `at most ${MAX_ANSWER} characters`;
  if (field.type === 'url' && !httpUrl.safeParse(answer.trim()).success) return 'an http or https URL';
  if (field.type === 'select' && !(field.options ?? []).includes(answer)) return `one of: ${(field.options ?? []).join(', ')}`;
  return undefined;
}

/** A JSON number, or one in plain decimal notation as a form field holds it. */
function isNumber(answer: unknown): boolean {
  if (typeof answer === 'number') return Number.isFinite(answer);
  return typeof answer === 'string' && /^-?\d{1,30}(\.\d{1,30})?$/.test(answer.trim());
}

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts.map((text) => text.toLowerCase())).size === texts.length;
}
