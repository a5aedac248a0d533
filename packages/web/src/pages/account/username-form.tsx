import { type FormEvent, useEffect, useState } from 'react';
import { useAction, useAnswer } from '../../data/answers.ts';
import { useFacts } from '../../data/site-facts.ts';
import { sitePaths } from '../../site-paths.ts';
import { ApiCalls, Button, Panel, TextField, useToast } from '../../ui/index.ts';

/** Delay of the check: long enough to finish typing a word. */
const TYPING_MS = 350;
const RULE = '3 to 30 small letters, numbers, _ or -, with a letter or number at both ends.';
const refusals = {
  taken: 'Somebody has this username. Choose another one.',
  reserved: 'This username is kept for the marketplace. Choose another one.',
  invalid: `A username has ${RULE}`,
} as const;

export function UsernameForm({ username }: { readonly username: string }) {
  const { appUrl } = useFacts();
  const toast = useToast();
  const [wanted, setWanted] = useState(username);
  const asked = useSettled(wanted, TYPING_MS);
  const changed = wanted !== username;
  const check = useAnswer('auth.checkUsername', { u: asked }, { enabled: asked !== username && asked !== '' });
  const save = useAction('auth.updateUser', { invalidates: ['auth.user', 'profiles.byUsername'], onDone: () => toast('Username saved.') });
  const known = asked === wanted ? check.data?.data : undefined;
  const refusal = wanted === '' ? refusals.invalid : known?.reason == null ? save.error?.message : refusals[known.reason];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed && refusal === undefined) save.mutate({ username: wanted });
  };
  return (
    <Panel title="Username" level={2}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Username"
          hint={RULE}
          name="username"
          autoComplete="username"
          mono
          maxLength={30}
          value={wanted}
          onChange={(value) => {
            save.reset();
            setWanted(value.trim().toLowerCase());
          }}
          error={changed ? refusal : undefined}
        />
        <p className="note" role="status">
          {changed && known?.available === true ? 'It is free. ' : ''}
          {changed ? 'Your page, once you save a profile, moves to ' : 'Your page, once you save a profile, is '}
          <span className="mono">
            {appUrl}
            {sitePaths.profile(wanted === '' ? username : wanted)}
          </span>
          {changed ? '; the address before stops working.' : '.'}
        </p>
        <div className="actions">
          <Button
            kind="ink"
            type="submit"
            busy={save.isPending ? 'Saving' : undefined}
            disabledReason={
              changed ? (refusal === undefined ? undefined : 'Choose a username that is free.') : 'This is your username now.'
            }
          >
            Save username
          </Button>
        </div>
        <ApiCalls calls={[{ name: 'auth.updateUser', args: { username: wanted } }]} />
      </form>
    </Panel>
  );
}

/** The value once it has stopped changing for `afterMs`. */
function useSettled(value: string, afterMs: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
