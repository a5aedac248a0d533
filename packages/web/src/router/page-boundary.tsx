import { Component, type ReactNode } from 'react';
import { FailedPage } from '../shell/instead.tsx';

/** A mistake of ours in one page leaves the rest of the site standing. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, { readonly broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    return this.state.broken ? <FailedPage failure={undefined} /> : this.props.children;
  }
}
