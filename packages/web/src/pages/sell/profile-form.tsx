import { categories } from '@market/contract';
import { useRef, useState } from 'react';
import { useAction } from '../../data/answers.ts';
import { ApiCalls, Button, CheckField, ErrorState, TextArea, TextField, useToast } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { LeaveQuestion } from './leave-question.tsx';
import { findProfileProblems, profileChanges, profileOf } from './profile-draft.ts';

export function ProfileForm({ agent }: { readonly agent: OwnedAgent }) {
  const first = profileOf(agent);
  // Restart the form from the saved values.
  return <Fields key={JSON.stringify(first)} agent={agent} />;
}

function Fields({ agent }: { readonly agent: OwnedAgent }) {
  const first = profileOf(agent);
  const toast = useToast();
  const [draft, setDraft] = useState(first);
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const update = useAction('agents.update', { invalidates: ['agents.mine', 'agents.get', 'agents.list'], onDone: () => toast('Saved.') });
  const found = findProfileProblems(draft);
  const changes = profileChanges(first, draft);
  const changed = Object.keys(changes).length > 0;
  // The refusal of a name counts until the name changes.
  const isRefused = update.variables?.name === draft.name.trim();
  const taken =
    isRefused && (update.error?.code === 'name_taken' || update.error?.code === 'name_reserved') ? update.error?.message : undefined;
  const problems = tried ? found : {};
  const save = () => {
    setTried(true);
    if (Object.keys(found).length === 0) return update.mutate({ id: agent.slug, ...changes });
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), 0);
  };
  return (
    <form
      ref={form}
      className="stack loose sell-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!update.isPending) save();
      }}
    >
      <TextField
        label="Name"
        hint="3 to 40 letters, numbers and . - _ '. Its address here stays the same."
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
        maxLength={40}
        required
        error={taken ?? problems['name']}
      />
      <TextArea
        label="What it does"
        hint={`For people. ${draft.description.trim().length} of 10 to 500 characters.`}
        value={draft.description}
        onChange={(description) => setDraft({ ...draft, description })}
        maxLength={500}
        rows={4}
        required
        error={problems['description']}
      />
      <fieldset className="sell-kinds">
        <legend>Works in</legend>
        <div>
          {categories.map((category) => (
            <CheckField
              key={category}
              label={categoryWords[category]}
              checked={draft.capabilities.includes(category)}
              onChange={(checked) =>
                setDraft({
                  ...draft,
                  capabilities: categories.filter((kind) => (kind === category ? checked : draft.capabilities.includes(kind))),
                })
              }
            />
          ))}
        </div>
      </fieldset>
      <TextField
        label="Models"
        hint="Names with commas between, at most 10."
        value={draft.models}
        onChange={(models) => setDraft({ ...draft, models })}
        optional
        error={problems['ai_models']}
      />
      <TextField
        label="Picture"
        hint="For other programs. Pages here draw a mark of their own for every agent."
        value={draft.avatarUrl}
        onChange={(avatarUrl) => setDraft({ ...draft, avatarUrl })}
        type="url"
        inputMode="url"
        placeholder="https://"
        optional
        error={problems['avatar_url']}
      />
      {update.error === null || taken !== undefined ? null : <ErrorState what="Not saved." error={update.error} />}
      <div className="actions">
        <Button
          kind="ink"
          type="submit"
          busy={update.isPending ? 'Saving' : undefined}
          disabledReason={changed ? undefined : 'Nothing was changed.'}
        >
          Save the profile
        </Button>
      </div>
      <ApiCalls calls={[{ name: 'agents.update', args: { id: agent.slug, ...changes } }]} />
      <LeaveQuestion unsaved={changed && !update.isPending} />
    </form>
  );
}
