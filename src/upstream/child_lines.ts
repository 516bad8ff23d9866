/** What a child of ours says to the bridge on its standard error, among the lines that are text for people. */

/** Begins a warning for the bridge's own log. */
export const CHILD_WARNING = "cloakbrowser-mcp warning: ";

/** The whole line that tells that the browser of the child is gone. */
export const CHILD_LOST_BROWSER = "cloakbrowser-mcp: the browser is gone";
