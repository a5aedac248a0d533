/** The draft of a service: its fields, their problems by the contract, and the body to send. Pure. */
import { createServiceBody, type RequirementField } from '@market/contract';
import type { Answer, Arguments } from '../../data/answers.ts';
import type { Category } from '../../words.ts';

export type OwnService = Answer<'services.get'>['data'];
type PriceType = OwnService['price_type'];

export interface QuestionDraft {
  /** Stable, while the position in the list may change. */
  readonly key: number;
  readonly label: string;
  readonly type: RequirementField['type'];
  readonly required: boolean;
  readonly placeholder: string;
  /** One per line. */
  readonly options: string;
}

export interface ServiceDraft {
  readonly category: Category;
  readonly title: string;
  readonly description: string;
  readonly priceType: PriceType;
  readonly price: string;
  readonly hours: string;
  readonly revisions: string;
  readonly quota: string;
  /** One per line. */
  readonly deliverables: string;
  readonly demoUrl: string;
  readonly model: string;
  /** `usual`: the questions of the category, which the market knows. */
  readonly asks: 'usual' | 'own' | 'nothing';
  readonly questions: readonly QuestionDraft[];
}

export const emptyDraft: ServiceDraft = {
  category: 'custom',
  title: '',
  description: '',
  priceType: 'fixed',
  price: '',
  hours: '48',
  revisions: '3',
  quota: '0',
  deliverables: '',
  demoUrl: '',
  model: '',
  asks: 'usual',
  questions: [],
};

export function draftOf(service: OwnService): ServiceDraft {
  const fields = service.requirement_fields ?? [];
  return {
    category: service.category,
    title: service.title,
    description: service.description,
    priceType: service.price_type,
    price: service.price_type === 'quote' && Number(service.price_usd) === 0 ? '' : service.price_usd,
    hours: String(service.turnaround_hours),
    revisions: String(service.max_revisions),
    quota: String(service.quota_limit),
    deliverables: service.deliverables.join('\n'),
    demoUrl: service.demo_url ?? '',
    model: service.provider_model ?? '',
    asks: fields.length === 0 ? 'nothing' : 'own',
    questions: fields.map(({ label, type, required, placeholder, options }, key) => ({
      key,
      label,
      type,
      required,
      placeholder: placeholder ?? '',
      options: (options ?? []).join('\n'),
    })),
  };
}

export function newQuestion(questions: readonly QuestionDraft[]): QuestionDraft {
  const key = questions.reduce((highest, question) => Math.max(highest, question.key), -1) + 1;
  return { key, label: '', type: 'text', required: true, placeholder: '', options: '' };
}

/** Moves a question by one position; at the ends it stays. */
export function moveQuestion(questions: readonly QuestionDraft[], key: number, by: -1 | 1): readonly QuestionDraft[] {
  const from = questions.findIndex((question) => question.key === key);
  const to = from + by;
  if (from < 0 || to < 0 || to >= questions.length) return questions;
  const moved = [...questions];
  moved.splice(to, 0, ...moved.splice(from, 1));
  return moved;
}

export type ServiceBody = Omit<Arguments<'services.create'>, 'id'>;

/** The request body. Text that is not a whole number becomes NaN, so that the contract refuses it with its own message. */
export function bodyOf(draft: ServiceDraft): ServiceBody {
  const price = draft.price.trim();
  return {
    category: draft.category,
    title: draft.title.trim(),
    description: draft.description.trim(),
    price_type: draft.priceType,
    price_usd: draft.priceType === 'quote' && price === '' ? '0' : price,
    turnaround_hours: wholeNumber(draft.hours),
    max_revisions: wholeNumber(draft.revisions),
    quota_limit: wholeNumber(draft.quota),
    deliverables: linesOf(draft.deliverables),
    demo_url: draft.demoUrl.trim() === '' ? null : draft.demoUrl.trim(),
    provider_model: draft.model.trim() === '' ? null : draft.model.trim(),
    ...(draft.asks !== 'usual' && { requirement_fields: draft.asks === 'nothing' ? null : questionsOf(draft) }),
  };
}

export function questionsOf({ questions }: ServiceDraft): RequirementField[] {
  return questions.map(fieldOf);
}

function fieldOf({ label, type, required, placeholder, options }: QuestionDraft): RequirementField {
  return {
    label: label.trim(),
    type,
    required,
    ...(placeholder.trim() !== '' && { placeholder: placeholder.trim() }),
    ...(type === 'select' && { options: linesOf(options) }),
  };
}

/** The fields of `after` that differ from `before`. */
export function changesOf(before: ServiceBody, after: ServiceBody): Partial<ServiceBody> {
  const known = before as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name])));
}

/** By field; for questions with their index: `requirement_fields.0.label`. */
export type DraftProblems = Readonly<Record<string, string>>;

/** Names of fields in the contract's sentences, as the form labels them. */
const fieldNames: Readonly<Record<string, string>> = {
  price_usd: 'The price',
  turnaround_hours: 'The time',
  max_revisions: 'The number of revisions',
  quota_limit: 'The number of requests',
  title: 'The title',
  description: 'The description',
  deliverables: 'The list',
  provider_model: 'The model',
  requirement_fields: 'The form',
  label: 'The question',
  placeholder: 'The example',
  options: 'The choices',
};

export function findProblems(draft: ServiceDraft): DraftProblems {
  const result = createServiceBody.safeParse(bodyOf(draft));
  if (result.success) return {};
  const problems: Record<string, string> = {};
  for (const { path, message } of result.error.issues) {
    // A problem of one item in a list of plain texts belongs to the whole list.
    const where = path[0] === 'requirement_fields' ? path.slice(0, 3) : path.slice(0, 1);
    problems[where.join('.')] ??= inWords(message);
  }
  return problems;
}

export function inWords(message: string): string {
  const [, name = '', rest = ''] = /^(\w+)( .*)$/.exec(message) ?? [];
  return Object.hasOwn(fieldNames, name) ? `${fieldNames[name]}${rest}` : message;
}

/** The field of a market error, by its code. */
export function refusedField(code: string): keyof ServiceBody | undefined {
  if (code === 'price_too_low') return 'price_usd';
  return code === 'title_not_allowed' ? 'title' : undefined;
}

function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
}

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
