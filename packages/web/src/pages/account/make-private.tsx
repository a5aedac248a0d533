import { useAction } from '../../data/answers.ts';
import { Button, ErrorState, useToast } from '../../ui/index.ts';

/** Deletes the profile's contents and hides it. Orders, agents and the account stay. */
export function MakePrivate() {
  const toast = useToast();
  const remove = useAction('profiles.remove', {
    invalidates: ['auth.user', 'profiles.get', 'profiles.byUsername'],
    onDone: () => toast('The profile is removed.'),
  });
  return (
    <>
      <Button busy={remove.isPending ? 'Removing' : undefined} onClick={() => remove.mutate({})}>
        Remove the profile
      </Button>
      {remove.error === null ? null : <ErrorState what="It was not removed." error={remove.error} />}
    </>
  );
}
