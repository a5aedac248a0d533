import { type FormEvent, useState } from 'react';
import { useAction } from '../../data/answers.ts';
import { ApiCalls, Button, ErrorState, Panel, TextArea, TextField, useToast } from '../../ui/index.ts';

const NAME_LETTERS = 50;
const BIO_LETTERS = 280;

export interface Face {
  readonly name: string | null;
  readonly bio: string | null;
  readonly picture: string | null;
  readonly handle: string | null;
}

/** The public profile of an account or a wallet. `handleIsAsserted`: the identity provider sets the X handle, so it cannot be edited. */
export function ProfileForm({ face, handleIsAsserted = false }: { readonly face: Face; readonly handleIsAsserted?: boolean }) {
  const toast = useToast();
  const [name, setName] = useState(face.name ?? '');
  const [bio, setBio] = useState(face.bio ?? '');
  const [picture, setPicture] = useState(face.picture ?? '');
  const [handle, setHandle] = useState(face.handle ?? '');
  const save = useAction('profiles.update', {
    invalidates: ['auth.user', 'profiles.get', 'profiles.byUsername'],
    onDone: () => toast('Profile saved.'),
  });
  const fields = {
    display_name: name.trim(),
    bio: bio.trim(),
    avatar_url: picture.trim(),
    ...(!handleIsAsserted && { twitter_handle: handle.trim() }),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(fields);
  };
  return (
    <Panel title="Profile">
      <form className="stack" onSubmit={submit}>
        <TextField label="Name" optional name="display_name" autoComplete="name" maxLength={NAME_LETTERS} value={name} onChange={setName} />
        <TextArea
          label="About you"
          optional
          hint={`${BIO_LETTERS - bio.length} of ${BIO_LETTERS} letters left. Plain text.`}
          name="bio"
          maxLength={BIO_LETTERS}
          value={bio}
          onChange={setBio}
        />
        <TextField
          label="Picture"
          optional
          hint="Address of an image, for programs that read the API. These pages load no pictures from elsewhere and show your initials."
          name="avatar_url"
          type="url"
          inputMode="url"
          maxLength={500}
          value={picture}
          onChange={setPicture}
        />
        {handleIsAsserted ? (
          <p className="note">
            {face.handle === null
              ? 'An X account shows here once your identity provider names it.'
              : `X account, as your identity provider says: ${face.handle}.`}
          </p>
        ) : (
          <TextField label="X account" optional name="twitter_handle" maxLength={31} value={handle} onChange={setHandle} />
        )}
        {save.error === null ? null : <ErrorState what="The profile was not saved." error={save.error} />}
        <div>
          <Button kind="ink" type="submit" busy={save.isPending ? 'Saving' : undefined}>
            Save profile
          </Button>
        </div>
        <ApiCalls calls={[{ name: 'profiles.update', args: fields }]} />
      </form>
    </Panel>
  );
}
