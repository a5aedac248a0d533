import { type FormEvent, useState } from 'react';
import { useAction } from '../../data/answers.ts';
import { ApiCalls, Button, CheckField, ErrorState, Panel, shorten, TextArea, TextField, useToast } from '../../ui/index.ts';
import { MakePrivate } from './make-private.tsx';
import { StrangersView } from './strangers-view.tsx';

const NAME_LETTERS = 50;
const BIO_LETTERS = 280;

export interface Face {
  readonly name: string | null;
  readonly bio: string | null;
  readonly picture: string | null;
  readonly handle: string | null;
}

/** Further choices of an account: the identity provider sets the X handle, so the account can only show or hide it. */
export interface AccountChoices {
  readonly username: string;
  readonly isPublic: boolean;
  readonly showsTwitter: boolean;
  readonly wallets: readonly { readonly address: string; readonly shown: boolean }[];
}

/** The public profile of an account or a wallet. */
export function ProfileForm({ face, account }: { readonly face: Face; readonly account?: AccountChoices }) {
  const toast = useToast();
  const [name, setName] = useState(face.name ?? '');
  const [bio, setBio] = useState(face.bio ?? '');
  const [picture, setPicture] = useState(face.picture ?? '');
  const [handle, setHandle] = useState(face.handle ?? '');
  const [shown, setShown] = useState(() => account?.wallets.filter((wallet) => wallet.shown).map(({ address }) => address) ?? []);
  const [showsTwitter, setShowsTwitter] = useState(account?.showsTwitter ?? false);
  const save = useAction('profiles.update', {
    invalidates: ['auth.user', 'profiles.get', 'profiles.byUsername'],
    onDone: () => toast('Profile saved.'),
  });
  const fields = {
    display_name: name.trim(),
    bio: bio.trim(),
    avatar_url: picture.trim(),
    ...(account === undefined ? { twitter_handle: handle.trim() } : { shown_wallets: shown, show_twitter: showsTwitter }),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(fields);
  };
  return (
    <Panel title="Profile">
      <form className="stack" onSubmit={submit}>
        {account === undefined ? null : (
          <p className="note" role="status">
            {account.isPublic
              ? 'Your profile is public: everybody sees what is below, and nothing else of you.'
              : 'Your profile is private. Saving makes what is below public. Your sign-in provider’s name, e-mail and picture are never shown.'}
          </p>
        )}
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
        {account !== undefined ? (
          <>
            {account.wallets.map(({ address }) => (
              <CheckField
                key={address}
                label={`Show my wallet ${shorten(address)}`}
                checked={shown.includes(address)}
                onChange={(checked) => setShown(checked ? [...shown, address] : shown.filter((one) => one !== address))}
              />
            ))}
            {face.handle === null ? (
              <p className="note">An X account can be shown once your identity provider names it.</p>
            ) : (
              <CheckField
                label={`Show my X account ${face.handle}, here and on my agents`}
                checked={showsTwitter}
                onChange={setShowsTwitter}
              />
            )}
            <StrangersView
              name={name.trim() === '' ? account.username : name.trim()}
              username={account.username}
              bio={bio.trim()}
              wallets={shown}
              handle={showsTwitter ? face.handle : null}
            />
          </>
        ) : (
          <TextField label="X account" optional name="twitter_handle" maxLength={31} value={handle} onChange={setHandle} />
        )}
        {save.error === null ? null : <ErrorState what="The profile was not saved." error={save.error} />}
        <div className="actions">
          <Button kind="ink" type="submit" busy={save.isPending ? 'Saving' : undefined}>
            Save profile
          </Button>
          {account?.isPublic === true ? <MakePrivate /> : null}
        </div>
        <ApiCalls calls={[{ name: 'profiles.update', args: fields }]} />
      </form>
    </Panel>
  );
}
