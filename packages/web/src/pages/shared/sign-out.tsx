import { useSignOut } from '../../data/sign-out.ts';
import { Button } from '../../ui/index.ts';

export function SignOut() {
  const signOut = useSignOut();
  return (
    <Button busy={signOut.isPending ? 'Signing out' : undefined} onClick={() => signOut.mutate({})}>
      Sign out of this browser
    </Button>
  );
}
