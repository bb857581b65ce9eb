/** The address of the router's own listener, once it is open. */
export class OwnAddress {
  private found: string | null = null;

  get url(): string {
    if (this.found === null) throw new Error('the listener is not open');
    return this.found;
  }

  opened(url: string): void {
    this.found = url;
  }
}
