import { useEffect, useState } from 'react';
import type { Answer } from '../../data/answers.ts';
import { useAction, useAnswer } from '../../data/answers.ts';
import { useFacts } from '../../data/site-facts.ts';
import { sitePaths } from '../../site-paths.ts';
import { ApiCalls, Button, CheckField, ErrorState, TextArea, TextField } from '../../ui/index.ts';
import { type Category, categoryWords } from '../../words.ts';
import {
  argumentsOf,
  emptyDraft,
  findRegistrationProblems,
  problemsOfRefusal,
  type RegistrationDraft,
  rules,
  slugPreview,
} from './registration-draft.ts';

export type RegisteredAgent = Answer<'agents.register'>['data'];

export interface RegisterFormProps {
  /** Why the visitor cannot register: the agent would have no owner. */
  readonly disabledReason: string | undefined;
  readonly onRegistered: (agent: RegisteredAgent, draft: RegistrationDraft) => void;
}

const categories = Object.keys(categoryWords) as Category[];

export function RegisterForm({ disabledReason, onRegistered }: RegisterFormProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const [asked, setAsked] = useState(false);
  const register = useAction('agents.register', {
    invalidates: ['agents.mine'],
    onDone: ({ data }) => onRegistered(data, draft),
  });
  const change = (fields: Partial<RegistrationDraft>): void => {
    setDraft({ ...draft, ...fields });
    if (register.error !== null) register.reset();
  };
  const taken = useTakenName(draft.name);
  const refused = problemsOfRefusal(register.error);
  const problems = { ...(taken !== undefined && { name: taken }), ...(asked ? findRegistrationProblems(draft) : undefined), ...refused };
  const send = (): void => {
    setAsked(true);
    if (disabledReason === undefined && findRegistrationProblems(draft) === undefined) register.mutate(argumentsOf(draft));
  };
  return (
    <form
      className="stack loose"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextField
        label="Name"
        name="name"
        required
        value={draft.name}
        onChange={(name) => change({ name })}
        hint={<NameHint name={draft.name} />}
        error={problems.name}
      />
      <TextArea
        label="What it does"
        name="description"
        required
        rows={3}
        value={draft.description}
        onChange={(description) => change({ description })}
        hint={`For people who may hire it, in plain words. ${draft.description.trim().length} of ${rules.description.most} characters, at least ${rules.description.least}.`}
        error={problems.description}
      />
      <Capabilities chosen={draft.capabilities} onChange={(capabilities) => change({ capabilities })} error={problems.capabilities} />
      <TextField
        label="Models it works with"
        name="models"
        optional
        value={draft.models}
        onChange={(models) => change({ models })}
        hint={`Separated by commas, up to ${rules.models.most}. People can search by them.`}
        error={problems.models}
      />
      <TextField
        label="Endpoint"
        name="endpoint_url"
        optional
        type="url"
        inputMode="url"
        mono
        placeholder="https://"
        value={draft.endpointUrl}
        onChange={(endpointUrl) => change({ endpointUrl })}
        hint="A public HTTPS address that receives webhooks, on port 443 or 8443. You can set it later; without one the agent fetches its orders."
        error={problems.endpointUrl}
      />
      {register.error === null || refused !== undefined ? null : <ErrorState what="Not registered." error={register.error} />}
      <div className="actions">
        <Button kind="primary" type="submit" busy={register.isPending ? 'Registering' : undefined} disabledReason={disabledReason}>
          Register the agent
        </Button>
      </div>
      <ApiCalls calls={[{ name: 'agents.register', args: argumentsOf(draft) }]} />
    </form>
  );
}

function NameHint({ name }: { readonly name: string }) {
  const { appUrl } = useFacts();
  const slug = slugPreview(name);
  return (
    <>
      {rules.name.least} to {rules.name.most} letters, numbers, spaces and . - _ ', not like that of another agent.
      {slug === '' ? null : (
        <>
          {' '}
          Its page: <span className="mono">{`${appUrl}${sitePaths.agent(slug)}`}</span>
        </>
      )}
    </>
  );
}

const TYPING_MS = 400;

/** Reports while typing that a name is taken. The API finds look-alikes when the form is sent. */
function useTakenName(typed: string): string | undefined {
  const [name, setName] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setName(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = useAnswer('agents.list', { search: name, limit: 10 }, { enabled: name.length >= rules.name.least });
  if (name !== typed.trim()) return undefined;
  const same = data?.data.some((agent) => agent.name.toLowerCase() === name.toLowerCase());
  return same === true ? 'Another agent has this name. Choose another.' : undefined;
}

interface CapabilitiesProps {
  readonly chosen: readonly Category[];
  readonly onChange: (chosen: readonly Category[]) => void;
  readonly error: string | undefined;
}

function Capabilities({ chosen, onChange, error }: CapabilitiesProps) {
  return (
    <fieldset className="radios">
      <legend>
        Works in <span className="meta">optional</span>
      </legend>
      <div className="capabilities">
        {categories.map((category) => (
          <CheckField
            key={category}
            label={categoryWords[category]}
            checked={chosen.includes(category)}
            onChange={(on) => onChange(on ? [...chosen, category] : chosen.filter((one) => one !== category))}
          />
        ))}
      </div>
      {error === undefined ? null : <p className="error">{error}</p>}
    </fieldset>
  );
}
