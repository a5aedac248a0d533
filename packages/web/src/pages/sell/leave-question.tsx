/** Asks for confirmation before unsaved input is lost. */
import { useEffect, useState } from 'react';
import { useNavigation } from '../../router/router.tsx';
import { Button, Dialog } from '../../ui/index.ts';

export function LeaveQuestion({ unsaved }: { readonly unsaved: boolean }) {
  const { navigate } = useNavigation();
  const [to, setTo] = useState<string>();
  useEffect(() => (unsaved ? holdBack(setTo) : undefined), [unsaved]);
  return (
    <Dialog open={to !== undefined} onClose={() => setTo(undefined)} title="Leave without saving">
      <p className="note">What you typed here is not saved and is gone when you leave.</p>
      <div className="actions">
        <Button kind="ink" onClick={() => setTo(undefined)}>
          Stay here
        </Button>
        <Button
          onClick={() => {
            setTo(undefined);
            if (to !== undefined) void navigate(to);
          }}
        >
          Leave
        </Button>
      </div>
    </Dialog>
  );
}

/** Catches links of the site, the back button, and closing the page. Listens before the router does. */
function holdBack(ask: (to: string) => void): () => void {
  const here = location.href;
  const onClick = (event: MouseEvent) => {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = plain && event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.origin !== location.origin || link.pathname === location.pathname) return;
    event.preventDefault();
    event.stopPropagation();
    ask(`${link.pathname}${link.search}${link.hash}`);
  };
  const onBack = (event: PopStateEvent) => {
    const { pathname, search, hash } = location;
    event.stopImmediatePropagation();
    history.pushState(null, '', here);
    ask(`${pathname}${search}${hash}`);
  };
  // The browser shows its own question.
  const onClose = (event: BeforeUnloadEvent) => event.preventDefault();
  document.addEventListener('click', onClick, { capture: true });
  addEventListener('popstate', onBack, { capture: true });
  addEventListener('beforeunload', onClose);
  return () => {
    document.removeEventListener('click', onClick, { capture: true });
    removeEventListener('popstate', onBack, { capture: true });
    removeEventListener('beforeunload', onClose);
  };
}
