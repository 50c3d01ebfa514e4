"""The pages' floor: navigation, the settings of a session, caches, controls and panels."""
