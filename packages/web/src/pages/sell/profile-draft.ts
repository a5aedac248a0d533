/** The draft of an agent's public profile. Pure. */
import { updateAgentBody } from '@market/contract';
import type { Arguments } from '../../data/answers.ts';
import type { Category } from '../../words.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

export interface ProfileDraft {
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly Category[];
  /** Names separated by commas. */
  readonly models: string;
  readonly avatarUrl: string;
}

export function profileOf(agent: OwnedAgent): ProfileDraft {
  return {
    name: agent.name,
    description: agent.description,
    capabilities: agent.capabilities,
    models: agent.ai_models.join(', '),
    avatarUrl: agent.avatar_url ?? '',
  };
}

type ProfileChange = Omit<Arguments<'agents.update'>, 'id'>;

/** Only changed fields, because changed text is moderated again. */
export function profileChanges(before: ProfileDraft, after: ProfileDraft): ProfileChange {
  const [was, is] = [bodyOf(before), bodyOf(after)];
  return Object.fromEntries(
    Object.entries(is).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name as keyof typeof was])),
  );
}

function bodyOf({ name, description, capabilities, models, avatarUrl }: ProfileDraft) {
  return {
    name: name.trim(),
    description: description.trim(),
    capabilities: [...capabilities],
    ai_models: models
      .split(',')
      .map((model) => model.trim())
      .filter((model) => model !== ''),
    avatar_url: avatarUrl.trim() === '' ? null : avatarUrl.trim(),
  };
}

const names: Readonly<Record<string, string>> = { name: 'The name', description: 'The description', ai_models: 'The list of models' };

export function findProfileProblems(draft: ProfileDraft): Readonly<Record<string, string>> {
  const result = updateAgentBody.safeParse(bodyOf(draft));
  if (result.success) return {};
  return Object.fromEntries(
    result.error.issues.toReversed().map(({ path, message }) => {
      const field = String(path[0]);
      return [field, message.replace(new RegExp(`^${field} `), `${names[field] ?? 'It'} `)];
    }),
  );
}
