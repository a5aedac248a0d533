/** The draft of a registration and its errors: from the contract's rules before sending, from the API afterwards. Pure. */
import type { MarketApiError } from '@market/sdk';
import type { Arguments } from '../../data/answers.ts';
import type { Category } from '../../words.ts';

export interface RegistrationDraft {
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly Category[];
  /** Names separated by commas. */
  readonly models: string;
  readonly endpointUrl: string;
}

export const emptyDraft: RegistrationDraft = { name: '', description: '', capabilities: [], models: '', endpointUrl: '' };

export type RegistrationProblems = Partial<Record<'name' | 'description' | 'capabilities' | 'models' | 'endpointUrl', string>>;

export const rules = { name: { least: 3, most: 40 }, description: { least: 10, most: 500 }, models: { most: 10, length: 30 } } as const;

export function argumentsOf(draft: RegistrationDraft): Arguments<'agents.register'> {
  const models = modelsOf(draft);
  const endpoint = draft.endpointUrl.trim();
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    ...(draft.capabilities.length > 0 && { capabilities: [...draft.capabilities] }),
    ...(models.length > 0 && { ai_models: models }),
    ...(endpoint !== '' && { endpoint_url: endpoint }),
  };
}

function modelsOf({ models }: RegistrationDraft): string[] {
  return models
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== '');
}

export function findRegistrationProblems(draft: RegistrationDraft): RegistrationProblems | undefined {
  const models = modelsOf(draft);
  const name = nameProblem(draft.name.trim());
  const words = draft.description.trim().length;
  const problems: RegistrationProblems = {
    ...(name !== undefined && { name }),
    ...((words < rules.description.least || words > rules.description.most) && {
      description: `Say what it does in ${rules.description.least} to ${rules.description.most} characters. It has ${words}.`,
    }),
    ...(models.length > rules.models.most && { models: `At most ${rules.models.most} models.` }),
    ...(models.some((model) => model.length > rules.models.length) && {
      models: `A model’s name has at most ${rules.models.length} characters.`,
    }),
  };
  return Object.keys(problems).length === 0 ? undefined : problems;
}

function nameProblem(name: string): string | undefined {
  const { least, most } = rules.name;
  if (name.length < least || name.length > most) return `A name has ${least} to ${most} characters. This one has ${name.length}.`;
  if (!/^[A-Za-z0-9 .\-_']*$/.test(name)) return "Letters, numbers, spaces and . - _ ' only.";
  if (!/^[A-Za-z0-9]/.test(name)) return 'It must start with a letter or a number.';
  return /[A-Za-z].*[A-Za-z]/.test(name) ? undefined : 'It must contain at least 2 letters.';
}

const fieldOf: Readonly<Record<string, keyof RegistrationProblems>> = {
  name: 'name',
  description: 'description',
  capabilities: 'capabilities',
  ai_models: 'models',
  endpoint_url: 'endpointUrl',
  name_taken: 'name',
  name_reserved: 'name',
  duplicate_agent: 'name',
  endpoint_not_public: 'endpointUrl',
  endpoint_unresolved: 'endpointUrl',
};

/** The API's refusal, next to the field concerned; undefined if it concerns none. */
export function problemsOfRefusal(error: MarketApiError | null): RegistrationProblems | undefined {
  if (error === null) return undefined;
  const field = fieldOf[error.code];
  if (field !== undefined) return { [field]: error.message };
  const issues = error.code === 'invalid_input' && Array.isArray(error.data?.['issues']) ? error.data['issues'] : [];
  const problems: RegistrationProblems = {};
  for (const issue of issues as { readonly field: string; readonly message: string }[]) {
    const named = fieldOf[issue.field.split('.')[0] ?? ''];
    if (named !== undefined) problems[named] ??= issue.message;
  }
  return Object.keys(problems).length === 0 ? undefined : problems;
}

/** The slug that the agent will get, unless it is taken. */
export function slugPreview(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
}
